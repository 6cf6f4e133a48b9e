{{/* The pod of a command that acts as the owner of the database, with the settings of the migration. The context is {root, args,
     component, account}. */}}
{{- define "marketplace.jobPod" -}}
{{- $variables := include "marketplace.jobVariables" .root -}}
{{- $reserved := list -}}
{{- range fromYamlArray $variables }}{{ $reserved = append $reserved .name }}{{ end -}}
{{- $mounts := dict "root" .root "of" "jobs" "settings" .root.Values "password" (dict "secret" (include "marketplace.database" .root | fromYaml).ownerSecret "key" .root.Values.database.owner.passwordKey "optional" true) -}}
metadata:
  labels:
    {{- include "marketplace.podLabels" (dict "root" .root "component" (.component | default "jobs") "labels" .root.Values.podLabels) | nindent 4 }}
  {{- with merge dict .root.Values.jobs.podAnnotations .root.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  restartPolicy: Never
  {{- include "marketplace.podSpec" (dict "root" .root "settings" .root.Values "account" (.account | default (include "marketplace.jobsAccountName" .root))) | nindent 2 }}
  containers:
    - name: {{ first .args }}
      image: {{ include "marketplace.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        {{- range .args }}
        - {{ . | quote }}
        {{- end }}
      # The command writes the reason of a failure. A process that is killed before leaves the end of its log.
      terminationMessagePolicy: FallbackToLogsOnError
      securityContext:
        {{- toYaml .root.Values.containerSecurityContext | nindent 8 }}
      {{- with .root.Values.jobs.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      env:
        {{- $variables | nindent 8 }}
        {{- include "marketplace.moreVariables" (dict "env" .root.Values.jobs.env "of" "jobs.env" "reserved" $reserved) | nindent 8 }}
      resources:
        {{- toYaml .root.Values.migrations.resources | nindent 8 }}
      volumeMounts:
        {{- include "marketplace.volumeMounts" $mounts | nindent 8 }}
  volumes:
    {{- include "marketplace.volumes" $mounts | nindent 4 }}
{{- end -}}

{{/* The account of the migration. As a hook it runs before the accounts of the release exist, so it has one of its own. */}}
{{- define "marketplace.migrationAccountName" -}}
{{- $hasOwn := and .Values.jobs.serviceAccount.create (eq (include "marketplace.migratesInHook" .) "true") -}}
{{- $hasOwn | ternary (printf "%s-migrate" (include "marketplace.fullname" .)) (include "marketplace.jobsAccountName" .) -}}
{{- end -}}

{{- define "marketplace.jobsAccountName" -}}
{{- .Values.jobs.serviceAccount.create | ternary (printf "%s-jobs" (include "marketplace.fullname" .)) (.Values.jobs.serviceAccount.name | default "default") -}}
{{- end -}}

{{/* Helm waits for a hook before it creates the Postgres for evaluation, so there the migration is an ordinary Job. */}}
{{- define "marketplace.migratesInHook" -}}
{{- and .Values.migrations.useHelmHooks (not .Values.dev.enabled) -}}
{{- end -}}

{{- define "marketplace.bootstrapArguments" -}}
{{- with .Values.bootstrap -}}
{{- toYaml (list "operator" "bootstrap" "--if-none" "--without-link" "--email" .email "--given-name" .givenName "--family-name" .familyName "--organization" .organization "--region" .region) -}}
{{- end -}}
{{- end -}}

{{/* A Job cannot be changed, and GitOps tools render each revision as the first: revision and content name it. The context
     is {root, task, pod}. */}}
{{- define "marketplace.jobName" -}}
{{ include "marketplace.fullname" .root }}-{{ .task }}-{{ .root.Release.Revision }}-{{ .pod | sha256sum | trunc 8 }}
{{- end -}}

{{- define "marketplace.jobVariables" -}}
- name: DATABASE_URL
  value: {{ include "marketplace.databaseUrl" (dict "server" (include "marketplace.sharedServer" . | fromYaml) "user" .Values.database.owner.username) | quote }}
{{- if eq (include "marketplace.webhooksAreAlone" .) "true" }}
- name: WEBHOOKS_OWNER_DATABASE_URL
  value: {{ include "marketplace.databaseUrl" (dict "server" .Values.database.webhooks "user" .Values.database.webhooks.owner.username) | quote }}
{{- with .Values.database.passwordFile }}
- name: WEBHOOKS_OWNER_DATABASE_PASSWORD_FILE
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- include "marketplace.fileVariables" . }}
{{- include "marketplace.secretFileVariables" (dict "root" . "of" "jobs") }}
- name: TERMINATION_LOG
  value: /dev/termination-log
- name: PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: DATABASE_ROLE_PREFIX
  value: {{ .Values.database.rolePrefix | quote }}
- name: DATABASE_MANAGE_ROLES
  value: {{ .Values.database.manageRoles | quote }}
{{- with include "marketplace.natsUrl" . }}
- name: NATS_URL
  value: {{ . | quote }}
{{- end }}
{{- if eq (include "marketplace.usesNats" .) "true" }}
{{- with .Values.nats.prefix }}
- name: NATS_PREFIX
  value: {{ . | quote }}
{{- end }}
- name: NATS_MANAGE_STREAMS
  value: {{ .Values.nats.manageStreams | quote }}
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
