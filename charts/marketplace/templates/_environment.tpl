{{/* The variables that all services share. */}}
{{- define "marketplace.configuration" -}}
NODE_ENV: production
HOST: {{ .Values.config.listenHost | quote }}
PORT: "8080"
HEALTH_PORT: "9090"
# Bun's default of 256 would let hanging webhooks and imports delay others.
BUN_CONFIG_MAX_HTTP_REQUESTS: "4096"
PUBLIC_URL: {{ .Values.publicUrl | quote }}
{{- with include "marketplace.natsUrl" . }}
NATS_URL: {{ . | quote }}
{{- end }}
LOG_LEVEL: {{ .Values.config.logLevel | quote }}
TRUSTED_PROXIES: {{ .Values.config.trustedProxies | quote }}
{{- with .Values.config.corsOrigins }}
CORS_ORIGINS: {{ join "," . | quote }}
{{- end }}
RATE_LIMIT_PER_SECOND: {{ .Values.config.rateLimitPerSecond | int | quote }}
RATE_LIMIT_BURST: {{ .Values.config.rateLimitBurst | int | quote }}
ACCESS_TOKEN_SECONDS: {{ .Values.config.accessTokenSeconds | int | quote }}
{{- with .Values.config.otlpEndpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* A variable from a secret. The context is {name, secret, key}. */}}
{{- define "marketplace.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret | quote }}
      key: {{ .key | quote }}
{{- end -}}

{{/* Variables that name mounted files. */}}
{{- define "marketplace.fileVariables" -}}
{{- if .Values.nats.existingSecret }}
- name: NATS_CREDS_FILE
  value: "/etc/marketplace/nats/{{ .Values.nats.credentialsKey }}"
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: "/etc/marketplace/certificates/{{ .Values.certificates.key }}"
{{- end }}
{{- end -}}

{{/* The variables of one service beyond those of the ConfigMap. The context is {root, name, service, database}. */}}
{{- define "marketplace.serviceVariables" -}}
{{- $own := include "marketplace.ownVariables" . -}}
{{- $reserved := list "PORT" "HEALTH_PORT" -}}
{{- range fromYamlArray $own }}{{ $reserved = append $reserved .name }}{{ end -}}
{{ $own }}
{{- range $name, $value := .service.env }}
{{- if has $name $reserved }}{{ fail (printf "Remove %s from env and services.%s.env: the chart sets it." $name $.name) }}{{ end }}
- name: {{ $name | quote }}
  value: {{ include "marketplace.text" $value | quote }}
{{- end }}
{{- end -}}

{{- define "marketplace.ownVariables" -}}
{{- $values := .root.Values -}}
{{- $role := printf "marketplace_%s" .name -}}
{{- $direct := dict "root" .root "user" $role "host" .database.host "port" $values.database.port -}}
{{- if $values.database.pooler.host -}}
{{- $pooled := dict "root" .root "user" $role "host" $values.database.pooler.host "port" $values.database.pooler.port -}}
- name: DATABASE_URL
  value: {{ include "marketplace.databaseUrl" $pooled | quote }}
- name: DATABASE_DIRECT_URL
  value: {{ include "marketplace.databaseUrl" $direct | quote }}
{{- else -}}
- name: DATABASE_URL
  value: {{ include "marketplace.databaseUrl" $direct | quote }}
{{- end }}
{{ include "marketplace.secretVariable" (dict "name" "PGPASSWORD" "secret" .database.secret "key" (index $values.database.passwordKeys .name)) }}
- name: DATABASE_POOL_SIZE
  value: {{ .service.databasePoolSize | int | quote }}
{{ include "marketplace.secretVariable" (dict "name" "ENCRYPTION_KEYS" "secret" (include "marketplace.encryptionSecret" .root) "key" $values.encryption.key) }}
- name: SHUTDOWN_SECONDS
  value: {{ .service.shutdownSeconds | int | quote }}
{{- /* Otherwise the heap of JavaScriptCore grows as for the memory of the node, not that of the container. */}}
- name: BUN_JSC_forceRAMSize
  valueFrom:
    resourceFieldRef:
      resource: limits.memory
{{- include "marketplace.fileVariables" .root }}
{{- if eq .name "sourcing" }}
{{ include "marketplace.storageVariables" .root }}
{{- end }}
{{- end -}}

{{- define "marketplace.storageVariables" -}}
{{- if eq (include "marketplace.usesFolder" .) "true" -}}
- name: FILES_FOLDER
  value: /var/lib/marketplace
{{- else -}}
{{- with .Values.storage.s3 -}}
- name: S3_ENDPOINT
  value: {{ .endpoint | quote }}
{{- if .publicEndpoint }}
- name: S3_PUBLIC_ENDPOINT
  value: {{ .publicEndpoint | quote }}
{{- end }}
- name: S3_BUCKET
  value: {{ .bucket | quote }}
- name: S3_REGION
  value: {{ .region | quote }}
- name: S3_ADDRESSING
  value: {{ .addressing | quote }}
- name: S3_CONDITIONAL_PUT
  value: {{ .conditionalPut | quote }}
{{ include "marketplace.secretVariable" (dict "name" "S3_ACCESS_KEY_ID" "secret" .existingSecret "key" .accessKeyIdKey) }}
{{ include "marketplace.secretVariable" (dict "name" "S3_SECRET_ACCESS_KEY" "secret" .existingSecret "key" .secretAccessKeyKey) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The variables of commands that act as the owner of the database. */}}
{{- define "marketplace.ownerVariables" -}}
{{- $database := include "marketplace.database" . | fromYaml -}}
- name: DATABASE_URL
  value: {{ include "marketplace.databaseUrl" (dict "root" . "user" .Values.database.owner.username "host" $database.host "port" .Values.database.port) | quote }}
{{ include "marketplace.secretVariable" (dict "name" "PGPASSWORD" "secret" $database.ownerSecret "key" .Values.database.owner.passwordKey) }}
{{- include "marketplace.fileVariables" . }}
{{- end -}}
