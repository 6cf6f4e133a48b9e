{{/* The pod of a Job that acts as the owner of the database. The context is {root, args, variables, resources}. */}}
{{- define "marketplace.jobPod" -}}
metadata:
  labels:
    {{- include "marketplace.labels" (dict "root" .root "component" "jobs") | nindent 4 }}
spec:
  restartPolicy: Never
  {{- /* A hook runs before the ServiceAccount of the chart exists. */}}
  {{- include "marketplace.podSecurity" (dict "root" .root "securityContext" .root.Values.podSecurityContext) | replace (printf "serviceAccountName: %s" (include "marketplace.serviceAccountName" .root)) "serviceAccountName: default" | nindent 2 }}
  containers:
    - name: {{ first .args }}
      image: {{ include "marketplace.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        {{- range .args }}
        - {{ . | quote }}
        {{- end }}
      {{- include "marketplace.containerSecurity" .root | nindent 6 }}
      env:
        {{- include "marketplace.ownerVariables" .root | nindent 8 }}
        {{- with .variables }}
        {{- . | nindent 8 }}
        {{- end }}
      resources:
        {{- toYaml .root.Values.migrations.resources | nindent 8 }}
      volumeMounts:
        {{- include "marketplace.volumeMounts" .root | nindent 8 }}
  volumes:
    {{- include "marketplace.volumes" .root | nindent 4 }}
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
