{{/* Prefix of all names. At most 40 characters, so that the longest suffix fits into 63. */}}
{{- define "marketplace.fullname" -}}
{{- default (eq .Release.Name .Chart.Name | ternary .Chart.Name (printf "%s-%s" .Release.Name .Chart.Name)) .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of every object. The context is {root, component}. */}}
{{- define "marketplace.labels" -}}
{{ include "marketplace.selectorLabels" . }}
app.kubernetes.io/part-of: marketplace
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "marketplace.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* repository:tag, or repository@digest. */}}
{{- define "marketplace.image" -}}
{{- $repository := required "Set image.repository to the repository that you pushed the image to." .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "marketplace.host" -}}
{{- (urlParse .Values.publicUrl).hostname -}}
{{- end -}}

{{- define "marketplace.serviceAccountName" -}}
{{- .Values.serviceAccount.create | ternary (printf "%s-%s" (include "marketplace.fullname" .) "services") "default" -}}
{{- end -}}
