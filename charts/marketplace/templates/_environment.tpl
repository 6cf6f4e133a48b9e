{{/* The variables that all services share. */}}
{{- define "marketplace.configuration" -}}
NODE_ENV: production
HOST: {{ .Values.config.listenHost | quote }}
PORT: "8080"
HEALTH_PORT: "9090"
# Bun's default of 256 would let hanging webhooks and imports delay others.
BUN_CONFIG_MAX_HTTP_REQUESTS: {{ .Values.config.maxHttpRequests | int | quote }}
PUBLIC_URL: {{ .Values.publicUrl | quote }}
{{- with include "marketplace.natsUrl" . }}
NATS_URL: {{ . | quote }}
{{- end }}
{{- with .Values.nats.prefix }}
NATS_PREFIX: {{ . | quote }}
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
OTEL_TRACES_SAMPLER: {{ $.Values.config.tracesSampler | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ $.Values.config.tracesSamplerArg | toString | quote }}
{{- end }}
# Identity.
HASHING_SLOTS: {{ .Values.config.hashingSlots | int | quote }}
HASHING_QUEUE: {{ .Values.config.hashingQueue | int | quote }}
CONSOLE: {{ and .Values.config.console.enabled .Values.exposeAdditions | quote }}
REGISTRATION: {{ .Values.config.registration | quote }}
{{- with .Values.config.securityContact }}
SECURITY_CONTACT: {{ . | quote }}
{{- end }}
{{- with include "marketplace.filesOrigin" . }}
FILES_ORIGIN: {{ . | quote }}
{{- end }}
# Sourcing, webhooks and organization.
ALLOW_PRIVATE_ADDRESSES: {{ .Values.config.allowPrivateAddresses | quote }}
UPLOADS_OPEN_MAX: {{ .Values.config.uploadsOpenMax | int | quote }}
STORED_BYTES_MAX: {{ .Values.config.storedBytesMax | int64 | quote }}
FILES_PENDING_MAX: {{ .Values.config.filesPendingMax | int | quote }}
IMPORTS_AT_ONCE: {{ .Values.config.importsAtOnce | int | quote }}
PREVIEWS: {{ .Values.config.previews.enabled | quote }}
PREVIEW_MEMORY_MAX: {{ mul (.Values.config.previews.memoryMi | int64) 1048576 | quote }}
{{- end -}}

{{/* The secrets that a pod reads from files, as YAML: by volume, the secret and its keys by variable. Without an optional secret
     or key the command says what is missing; otherwise its pod would wait. The context is {root, of}: a service, `jobs` or `test`. */}}
{{- define "marketplace.secrets" -}}
{{- $values := .root.Values -}}
{{- $isJob := eq .of "jobs" -}}
{{- $secrets := dict -}}
{{- if has .of (list "identity" "organization" "sourcing" "webhooks" "jobs") -}}
{{- $_ := set $secrets "encryption" (dict "secret" (include "marketplace.encryptionSecret" .root) "optional" $isJob "keys" (dict "ENCRYPTION_KEYS" $values.encryption.key)) -}}
{{- end -}}
{{- if and (ne .of "test") (eq (include "marketplace.natsUrlIsSecret" .root) "true") -}}
{{- $_ := set $secrets "nats-url" (dict "secret" (include "marketplace.natsSecret" .) "keys" (dict "NATS_URL" $values.nats.secretKeys.url)) -}}
{{- end -}}
{{- if and (eq .of "organization") $values.mail.existingSecret -}}
{{- $_ := set $secrets "mail" (dict "secret" $values.mail.existingSecret "keys" (dict "SMTP_URL" $values.mail.urlKey)) -}}
{{- end -}}
{{- if and (eq .of "sourcing") $values.storage.s3.existingSecret -}}
{{- $keys := dict "S3_ACCESS_KEY_ID" $values.storage.s3.accessKeyIdKey "S3_SECRET_ACCESS_KEY" $values.storage.s3.secretAccessKeyKey -}}
{{- with $values.storage.s3.sessionTokenKey }}{{ $_ := set $keys "S3_SESSION_TOKEN" . }}{{ end -}}
{{- $_ := set $secrets "storage" (dict "secret" $values.storage.s3.existingSecret "keys" $keys) -}}
{{- end -}}
{{- if and $isJob $values.database.manageRoles -}}
{{- $keys := dict -}}
{{- range $name, $key := $values.database.passwordKeys }}{{ $_ := set $keys (printf "%s_DATABASE_PASSWORD" (upper $name)) $key }}{{ end -}}
{{- $_ := set $secrets "roles" (dict "secret" (include "marketplace.database" .root | fromYaml).secret "optional" true "keys" $keys) -}}
{{- end -}}
{{- if and $isJob (eq (include "marketplace.webhooksAreAlone" .root) "true") (not $values.database.passwordFile) -}}
{{- $owner := $values.database.webhooks.owner -}}
{{- $secret := $owner.existingSecret | default (include "marketplace.database" .root | fromYaml).ownerSecret -}}
{{- $_ := set $secrets "webhooks-owner" (dict "secret" $secret "optional" true "keys" (dict "WEBHOOKS_OWNER_DATABASE_PASSWORD" $owner.passwordKey)) -}}
{{- end -}}
{{- if and (eq .of "test") $values.test.existingSecret -}}
{{- $_ := set $secrets "account" (dict "secret" $values.test.existingSecret "keys" (dict "EMAIL" "email" "PASSWORD" "password")) -}}
{{- end -}}
{{- toYaml $secrets -}}
{{- end -}}

{{/* The variables that name the files of the secrets. The context is that of `marketplace.secrets`. */}}
{{- define "marketplace.secretFileVariables" -}}
{{- range $volume, $secret := include "marketplace.secrets" . | fromYaml }}
{{- range $variable, $key := $secret.keys }}
- name: {{ $variable }}_FILE
  value: "/etc/marketplace/secrets/{{ $volume }}/{{ $key }}"
{{- end }}
{{- end }}
{{- end -}}

{{/* Variables that name mounted files. */}}
{{- define "marketplace.fileVariables" -}}
{{- range $variable, $key := include "marketplace.natsFiles" . | fromYaml }}
- name: {{ $variable }}
  value: "/etc/marketplace/nats/{{ $key }}"
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: "/etc/marketplace/certificates/{{ .Values.certificates.key }}"
{{- end }}
- name: DATABASE_PASSWORD_FILE
  value: {{ .Values.database.passwordFile | default "/etc/marketplace/database/password" | quote }}
{{- end -}}

{{/* Variables that the Jobs need too, and that `env` would give to the services only, with the values to set instead. */}}
{{- define "marketplace.settledVariables" -}}
NATS_URL: nats.url
NATS_PREFIX: nats.prefix
NATS_CREDS_FILE: nats.existingSecret
NATS_NKEY_FILE: nats.existingSecret
NATS_CERT_FILE: nats.existingSecret
NATS_KEY_FILE: nats.existingSecret
SHARED_DATABASE_URL: database.webhooks.host
WEBHOOKS_OWNER_DATABASE_URL: database.webhooks.host
DATABASE_ROLE_PREFIX: database.rolePrefix
DATABASE_MANAGE_ROLES: database.manageRoles
PUBLIC_URL: publicUrl
{{- end -}}

{{/* Variables of `env`. The context is {env, of, reserved}, with the names of the values and of variables that the chart sets. */}}
{{- define "marketplace.moreVariables" -}}
{{- $settled := include "marketplace.settledVariables" . | fromYaml -}}
{{- range $name, $value := .env }}
{{- if or (has $name $.reserved) (has (printf "%s_FILE" $name) $.reserved) }}{{ fail (printf "Remove %s from %s: the chart sets it." $name $.of) }}{{ end }}
{{- with index $settled $name }}{{ fail (printf "Set %s instead of %s in %s, because the Jobs also need it." . $name $.of) }}{{ end }}
- name: {{ $name | quote }}
  {{- if kindIs "map" $value }}
  {{- toYaml $value | nindent 2 }}
  {{- else }}
  value: {{ include "marketplace.text" $value | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The variables of one service beyond those of the ConfigMap. The context is {root, name, service}. */}}
{{- define "marketplace.serviceVariables" -}}
{{- $own := include "marketplace.ownVariables" . -}}
{{- $reserved := list "PORT" "HEALTH_PORT" -}}
{{- range fromYamlArray $own }}{{ $reserved = append $reserved .name }}{{ end -}}
{{ $own }}
{{- include "marketplace.moreVariables" (dict "env" .service.env "of" (printf "env and services.%s.env" .name) "reserved" $reserved) }}
{{- end -}}

{{- define "marketplace.ownVariables" -}}
{{- $values := .root.Values -}}
{{- include "marketplace.databaseUrls" . }}
- name: DATABASE_POOL_SIZE
  value: {{ .service.databasePoolSize | int | quote }}
- name: SHUTDOWN_SECONDS
  value: {{ .service.shutdownSeconds | int | quote }}
{{- /* Otherwise the heap of JavaScriptCore grows as for the memory of the node, not that of the container. */}}
- name: BUN_JSC_forceRAMSize
  valueFrom:
    resourceFieldRef:
      resource: limits.memory
{{- if $values.config.otlpEndpoint }}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: OTEL_RESOURCE_ATTRIBUTES
  {{- $attributes := merge dict $values.config.otlpResourceAttributes (dict "service.namespace" .root.Release.Name "service.instance.id" "$(POD_NAME)" "k8s.pod.name" "$(POD_NAME)" "k8s.namespace.name" .root.Release.Namespace) }}
  {{- $pairs := list }}
  {{- range $key, $value := $attributes }}{{ $pairs = append $pairs (printf "%s=%s" $key $value) }}{{ end }}
  value: {{ join "," $pairs | quote }}
{{- end }}
{{- include "marketplace.fileVariables" .root }}
{{- include "marketplace.secretFileVariables" (dict "root" .root "of" .name) }}
{{- if eq .name "sourcing" }}
{{ include "marketplace.storageVariables" .root }}
{{- if $values.mail.existingSecret }}
- name: MAIL_FROM
  value: {{ $values.mail.from | quote }}
{{- end }}
{{- end }}
{{- if and (eq .name "organization") $values.mail.existingSecret }}
{{ include "marketplace.mailVariables" $values.mail }}
{{- end }}
{{- end -}}

{{- define "marketplace.mailVariables" -}}
- name: MAIL_FROM
  value: {{ .from | quote }}
- name: MAIL_DELAY_SECONDS
  value: {{ .delaySeconds | int | quote }}
- name: MAIL_TIMEOUT_SECONDS
  value: {{ .timeoutSeconds | int | quote }}
- name: MAIL_HOURLY_MAX
  value: {{ .hourlyMax | int | quote }}
- name: INBOX_MAIL_HOUR
  value: {{ .inboxHour | int | quote }}
- name: MAIL_RETENTION_DAYS
  value: {{ .retentionDays | int | quote }}
{{- end -}}

{{/* The origin of the store as browsers see it. Empty: files are sent to the marketplace. */}}
{{- define "marketplace.filesOrigin" -}}
{{- with .Values.storage.s3 -}}
{{- $url := .publicEndpoint | default .endpoint | trimSuffix "/" -}}
{{- if eq .addressing "virtual-host" -}}
{{- $url = regexReplaceAll "^(https?://)" $url (printf "${1}%s." .bucket) -}}
{{- end -}}
{{- if .endpoint }}{{ $url }}{{ end -}}
{{- end -}}
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
{{- end -}}
{{- end -}}
{{- end -}}
