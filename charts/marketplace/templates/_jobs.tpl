{{/* The pod of a Job that acts as the owner of the database. The context is {root, args, variables}. */}}
{{- define "marketplace.jobPod" -}}
metadata:
  labels:
    {{- include "marketplace.podLabels" (dict "root" .root "component" "jobs" "labels" .root.Values.podLabels) | nindent 4 }}
  {{- with .root.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "marketplace.taskSpec" .root | nindent 2 }}
  containers:
    - name: {{ first .args }}
      image: {{ include "marketplace.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        {{- range .args }}
        - {{ . | quote }}
        {{- end }}
      securityContext:
        {{- toYaml .root.Values.containerSecurityContext | nindent 8 }}
      env:
        {{- include "marketplace.ownerVariables" .root | nindent 8 }}
        {{- .variables | nindent 8 }}
      resources:
        {{- toYaml .root.Values.migrations.resources | nindent 8 }}
      volumeMounts:
        {{- include "marketplace.volumeMounts" (dict "root" .root "settings" .root.Values) | nindent 8 }}
  volumes:
    {{- include "marketplace.volumes" (dict "root" .root "settings" .root.Values) | nindent 4 }}
{{- end -}}

{{/* Helm waits for a hook before it creates the Postgres for evaluation, so there the migration is an ordinary Job. */}}
{{- define "marketplace.migratesInHook" -}}
{{- and .Values.migrations.useHelmHooks (not .Values.dev.enabled) -}}
{{- end -}}

{{- define "marketplace.migrationPod" -}}
{{- include "marketplace.jobPod" (dict "root" . "args" (list "migrate" "--catalogs") "variables" (include "marketplace.migrationVariables" .)) -}}
{{- end -}}

{{- define "marketplace.bootstrapPod" -}}
{{- $args := list "operator" "bootstrap" "--if-none" -}}
{{- with .Values.bootstrap -}}
{{- $args = concat $args (list "--email" .email "--given-name" .givenName "--family-name" .familyName "--organization" .organization "--region" .region) -}}
{{- end -}}
{{- $variables := include "marketplace.secretVariable" (dict "name" "ENCRYPTION_KEYS" "secret" (include "marketplace.encryptionSecret" .) "key" .Values.encryption.key) -}}
{{- $variables = printf "%s\n- name: PUBLIC_URL\n  value: %s" $variables (quote .Values.publicUrl) -}}
{{- include "marketplace.jobPod" (dict "root" . "args" $args "variables" $variables) -}}
{{- end -}}

{{/* A Job cannot be changed, and GitOps tools render each revision as the first: revision and content name it. The context
     is {root, task, pod}. */}}
{{- define "marketplace.jobName" -}}
{{ include "marketplace.fullname" .root }}-{{ .task }}-{{ .root.Release.Revision }}-{{ .pod | sha256sum | trunc 8 }}
{{- end -}}

{{- define "marketplace.migrationVariables" -}}
{{- $database := include "marketplace.database" . | fromYaml -}}
{{- range $name := splitList " " (include "marketplace.serviceNames" .) -}}
{{ include "marketplace.secretVariable" (dict "name" (printf "%s_DATABASE_PASSWORD" (upper $name)) "secret" $database.secret "key" (index $.Values.database.passwordKeys $name)) }}
{{ end -}}
{{- with include "marketplace.natsUrl" . -}}
- name: NATS_URL
  value: {{ . | quote }}
- name: NATS_STREAM_REPLICAS
  value: {{ $.Values.dev.enabled | ternary 1 $.Values.nats.streamReplicas | int | quote }}
- name: NATS_STREAM_MAX_BYTES
  value: {{ $.Values.nats.streamMaxBytes | int64 | quote }}
{{- end }}
{{- if .Values.config.auditRetentionMonths }}
- name: AUDIT_RETENTION_MONTHS
  value: {{ .Values.config.auditRetentionMonths | int | quote }}
{{- end }}
{{- end -}}
