{{/* Connection settings as YAML, of the given Postgres or of that for evaluation. */}}
{{- define "marketplace.database" -}}
{{- $secret := .Values.dev.enabled | ternary (printf "%s-dev" (include "marketplace.fullname" .)) .Values.database.existingSecret -}}
host: {{ .Values.dev.enabled | ternary (printf "%s-dev-postgres" (include "marketplace.fullname" .)) .Values.database.host | quote }}
sslMode: {{ .Values.dev.enabled | ternary "disable" .Values.database.sslMode | quote }}
secret: {{ $secret | quote }}
ownerSecret: {{ .Values.database.owner.existingSecret | default $secret | quote }}
{{- end -}}

{{/* The Postgres of the services as YAML. */}}
{{- define "marketplace.sharedServer" -}}
{{- $database := include "marketplace.database" . | fromYaml -}}
{{- merge (dict "host" $database.host "sslMode" $database.sslMode) (pick .Values.database "port" "name" "pooler" "readHost") | toYaml -}}
{{- end -}}

{{/* Whether webhooks have a Postgres of their own. */}}
{{- define "marketplace.webhooksAreAlone" -}}
{{- not (empty .Values.database.webhooks.host) -}}
{{- end -}}

{{/* The Postgres of a service as YAML. The context is {root, name}. */}}
{{- define "marketplace.serverOf" -}}
{{- if and (eq .name "webhooks") (eq (include "marketplace.webhooksAreAlone" .root) "true") -}}
{{- toYaml .root.Values.database.webhooks -}}
{{- else -}}
{{- include "marketplace.sharedServer" .root -}}
{{- end -}}
{{- end -}}

{{/* A URL of Postgres without a password, which a file has. The context is {server, user, at}: its host, pooler or standby. */}}
{{- define "marketplace.databaseUrl" -}}
{{- $address := dict "host" (printf "%s:%v" .server.host .server.port) "pooler" (printf "%s:%v" .server.pooler.host .server.pooler.port) "readHost" (printf "%s:%v" .server.readHost .server.port) -}}
postgres://{{ .user }}@{{ index $address (.at | default "host") }}/{{ .server.name }}?sslmode={{ .server.sslMode }}
{{- end -}}

{{/* The variables of the URLs of a service, as YAML. The context is {root, name}. */}}
{{- define "marketplace.databaseUrls" -}}
{{- $user := printf "%s%s" .root.Values.database.rolePrefix .name -}}
{{- $server := include "marketplace.serverOf" . | fromYaml -}}
{{- $pooled := empty $server.pooler.host | ternary "host" "pooler" -}}
- name: DATABASE_URL
  value: {{ include "marketplace.databaseUrl" (dict "server" $server "user" $user "at" $pooled) | quote }}
{{- if eq $pooled "pooler" }}
- name: DATABASE_DIRECT_URL
  value: {{ include "marketplace.databaseUrl" (dict "server" $server "user" $user) | quote }}
{{- end }}
{{- if $server.readHost }}
- name: DATABASE_READ_URL
  value: {{ include "marketplace.databaseUrl" (dict "server" $server "user" $user "at" "readHost") | quote }}
{{- end }}
{{- if and (eq .name "webhooks") (eq (include "marketplace.webhooksAreAlone" .root) "true") }}
{{- $shared := include "marketplace.sharedServer" .root | fromYaml }}
- name: SHARED_DATABASE_URL
  value: {{ include "marketplace.databaseUrl" (dict "server" $shared "user" $user "at" (empty $shared.pooler.host | ternary "host" "pooler")) | quote }}
{{- end }}
{{- end -}}

{{/* The URL of NATS that the values have. */}}
{{- define "marketplace.natsUrl" -}}
{{- .Values.dev.enabled | ternary (printf "nats://%s-dev-nats:4222" (include "marketplace.fullname" .)) .Values.nats.url -}}
{{- end -}}

{{/* Whether the secret of NATS has its URL. */}}
{{- define "marketplace.natsUrlIsSecret" -}}
{{- and (not (empty .Values.nats.existingSecret)) (eq .Values.nats.secretType "url") -}}
{{- end -}}

{{/* The secret of NATS. The Jobs and the tools may have one of their own. The context is {root, of}. */}}
{{- define "marketplace.natsSecret" -}}
{{- with .root.Values.nats -}}
{{- eq $.of "jobs" | ternary (.jobs.existingSecret | default .existingSecret) .existingSecret -}}
{{- end -}}
{{- end -}}

{{/* Whether events run over NATS. */}}
{{- define "marketplace.usesNats" -}}
{{- or (not (empty (include "marketplace.natsUrl" .))) (eq (include "marketplace.natsUrlIsSecret" .) "true") -}}
{{- end -}}

{{/* The keys of the secret of NATS that are mounted as files, with their variables, as YAML. */}}
{{- define "marketplace.natsFiles" -}}
{{- $variables := dict "credentials" (dict "NATS_CREDS_FILE" "credentials") "nkey" (dict "NATS_NKEY_FILE" "nkey") "certificate" (dict "NATS_CERT_FILE" "certificate" "NATS_KEY_FILE" "privateKey") "url" dict -}}
{{- if .Values.nats.existingSecret -}}
{{- range $variable, $name := index $variables .Values.nats.secretType }}
{{ $variable }}: {{ index $.Values.nats.secretKeys $name | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "marketplace.encryptionSecret" -}}
{{- .Values.dev.enabled | ternary (printf "%s-dev" (include "marketplace.fullname" .)) .Values.encryption.existingSecret -}}
{{- end -}}
