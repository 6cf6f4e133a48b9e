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

{{/* The settings of a service as YAML: those of all services with its overrides. The context is {root, name}. */}}
{{- define "marketplace.service" -}}
{{- $common := pick .root.Values "replicas" "databasePoolSize" "autoscaling" "podDisruptionBudget" "resources" "shutdownSeconds" "preStopSeconds" "env" "podSecurityContext" "podAnnotations" "podLabels" "nodeSelector" "tolerations" "affinity" "topologySpread" "priorityClassName" -}}
{{- $service := mergeOverwrite (deepCopy $common) (deepCopy (index .root.Values.services .name)) -}}
{{- /* Files in the pod's own folder cannot be shared between replicas. */ -}}
{{- if and (eq .name "sourcing") (eq (include "marketplace.usesFolder" .root) "true") -}}
{{- $_ := set $service "replicas" 1 -}}
{{- end -}}
{{- toYaml $service -}}
{{- end -}}

{{- define "marketplace.serviceNames" -}}
identity catalog organization sourcing webhooks
{{- end -}}

{{- define "marketplace.usesFolder" -}}
{{- and .Values.dev.enabled (not .Values.storage.s3.endpoint) -}}
{{- end -}}

{{/* Whether the replicas of a service vary: by the CPU or by KEDA. The context is {root, name, service}. */}}
{{- define "marketplace.isScaled" -}}
{{- or .service.autoscaling.enabled (and (eq .name "webhooks") .root.Values.keda.enabled) -}}
{{- end -}}

{{/* Most replicas that a service may have. The context is {root, name, service}. */}}
{{- define "marketplace.maxReplicas" -}}
{{- if and (eq .name "webhooks") .root.Values.keda.enabled -}}
{{ .root.Values.keda.maxReplicas }}
{{- else if .service.autoscaling.enabled -}}
{{ .service.autoscaling.maxReplicas }}
{{- else -}}
{{ .service.replicas }}
{{- end -}}
{{- end -}}

{{/* Fewest replicas that a service has. The context is {root, name, service}. */}}
{{- define "marketplace.minReplicas" -}}
{{- if and (eq .name "webhooks") .root.Values.keda.enabled -}}
{{ .root.Values.keda.minReplicas }}
{{- else if .service.autoscaling.enabled -}}
{{ .service.autoscaling.minReplicas }}
{{- else -}}
{{ .service.replicas }}
{{- end -}}
{{- end -}}

{{- define "marketplace.host" -}}
{{- (urlParse .Values.publicUrl).hostname -}}
{{- end -}}

{{- define "marketplace.serviceAccountName" -}}
{{- .Values.serviceAccount.create | ternary (printf "%s-%s" (include "marketplace.fullname" .) "services") "default" -}}
{{- end -}}

{{/* Connection settings as YAML, of the given Postgres or of that for evaluation. */}}
{{- define "marketplace.database" -}}
{{- $secret := .Values.dev.enabled | ternary (printf "%s-dev" (include "marketplace.fullname" .)) .Values.database.existingSecret -}}
host: {{ .Values.dev.enabled | ternary (printf "%s-dev-postgres" (include "marketplace.fullname" .)) .Values.database.host }}
sslMode: {{ .Values.dev.enabled | ternary "disable" .Values.database.sslMode }}
secret: {{ $secret }}
ownerSecret: {{ .Values.database.owner.existingSecret | default $secret }}
{{- end -}}

{{/* A URL of Postgres without a password, which PGPASSWORD has. The context is {root, user, host, port}. */}}
{{- define "marketplace.databaseUrl" -}}
{{- $database := include "marketplace.database" .root | fromYaml -}}
postgres://{{ .user }}@{{ .host }}:{{ .port }}/{{ .root.Values.database.name }}?sslmode={{ $database.sslMode }}
{{- end -}}

{{- define "marketplace.natsUrl" -}}
{{- .Values.dev.enabled | ternary (printf "nats://%s-dev-nats:4222" (include "marketplace.fullname" .)) .Values.nats.url -}}
{{- end -}}

{{- define "marketplace.encryptionSecret" -}}
{{- .Values.dev.enabled | ternary (printf "%s-dev" (include "marketplace.fullname" .)) .Values.encryption.existingSecret -}}
{{- end -}}

{{/* A variable from a secret. The context is {name, secret, key}. */}}
{{- define "marketplace.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end -}}

{{/* Variables that name mounted files. */}}
{{- define "marketplace.fileVariables" -}}
{{- if .Values.nats.existingSecret }}
- name: NATS_CREDS_FILE
  value: /etc/marketplace/nats/{{ .Values.nats.credentialsKey }}
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/marketplace/certificates/{{ .Values.certificates.key }}
{{- end }}
{{- end -}}

{{- define "marketplace.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .Values.nats.existingSecret }}
- name: nats
  mountPath: /etc/marketplace/nats
  readOnly: true
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: certificates
  mountPath: /etc/marketplace/certificates
  readOnly: true
{{- end }}
{{- end -}}

{{- define "marketplace.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .Values.nats.existingSecret }}
- name: nats
  secret:
    secretName: {{ .Values.nats.existingSecret }}
    items: [{ key: {{ .Values.nats.credentialsKey }}, path: {{ .Values.nats.credentialsKey }} }]
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: certificates
  configMap:
    name: {{ .Values.certificates.existingConfigMap }}
    items: [{ key: {{ .Values.certificates.key }}, path: {{ .Values.certificates.key }} }]
{{- end }}
{{- end -}}

{{/* What every pod has: no privileges, no token of the cluster. The context is {root, securityContext}. */}}
{{- define "marketplace.podSecurity" -}}
serviceAccountName: {{ include "marketplace.serviceAccountName" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
  {{- with .securityContext }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "marketplace.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}
