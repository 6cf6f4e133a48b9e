{{/* The name of the application, in names and selectors. */}}
{{- define "marketplace.name" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{/* Prefix of all names. At most 36 characters, so that the longest suffix, that of a bootstrap Job, fits into 63. */}}
{{- define "marketplace.fullname" -}}
{{- $name := include "marketplace.name" . -}}
{{- default (eq .Release.Name $name | ternary $name (printf "%s-%s" .Release.Name $name)) .Values.fullnameOverride | trunc 36 | trimSuffix "-" -}}
{{- end -}}

{{/* Name, labels and annotations of an object. The context is {root, name, component, labels, annotations}. */}}
{{- define "marketplace.metadata" -}}
name: {{ .name | quote }}
labels:
  {{- include "marketplace.labels" . | nindent 2 }}
{{- with mergeOverwrite (deepCopy .root.Values.commonAnnotations) (.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Labels of every object. The context is {root, component}. */}}
{{- define "marketplace.labels" -}}
{{ include "marketplace.podLabels" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Labels of a pod, without the version of the chart, which would replace pods. The context is {root, component, labels}. */}}
{{- define "marketplace.podLabels" -}}
{{ include "marketplace.selectorLabels" . }}
app.kubernetes.io/part-of: marketplace
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | trunc 63 | trimAll "-_." | quote }}
{{- with mergeOverwrite (deepCopy .root.Values.commonLabels) (.labels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "marketplace.selectorLabels" -}}
app.kubernetes.io/name: {{ include "marketplace.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* repository:tag, or repository@digest. */}}
{{- define "marketplace.image" -}}
{{- $repository := required "Set image.repository to the repository that you pushed the image to." .Values.image.repository -}}
{{- with .Values.global.imageRegistry }}{{ $repository = printf "%s/%s" (trimSuffix "/" .) $repository }}{{ end -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* An image of others behind the registry. The context is {root, image}. */}}
{{- define "marketplace.otherImage" -}}
{{- with .root.Values.global.imageRegistry }}{{ printf "%s/%s" (trimSuffix "/" .) ($.image | trimPrefix "docker.io/") }}{{ else }}{{ .image }}{{ end -}}
{{- end -}}

{{- define "marketplace.host" -}}
{{- (urlParse .Values.publicUrl).hostname -}}
{{- end -}}

{{/* The account of a service. The context is {root, name, service}. */}}
{{- define "marketplace.serviceAccountName" -}}
{{- .service.serviceAccount.create | ternary (printf "%s-%s" (include "marketplace.fullname" .root) .name) (.service.serviceAccount.name | default "default") -}}
{{- end -}}

{{/* A value as text. YAML reads numbers as floats, which would print a million as 1e+06. */}}
{{- define "marketplace.text" -}}
{{- and (kindIs "float64" .) (eq (floor .) (float64 .)) | ternary (int64 .) . -}}
{{- end -}}
