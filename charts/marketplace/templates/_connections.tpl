{{/* Connection settings as YAML, of the given Postgres or of that for evaluation. */}}
{{- define "marketplace.database" -}}
{{- $secret := .Values.dev.enabled | ternary (printf "%s-dev" (include "marketplace.fullname" .)) .Values.database.existingSecret -}}
host: {{ .Values.dev.enabled | ternary (printf "%s-dev-postgres" (include "marketplace.fullname" .)) .Values.database.host | quote }}
sslMode: {{ .Values.dev.enabled | ternary "disable" .Values.database.sslMode | quote }}
secret: {{ $secret | quote }}
ownerSecret: {{ .Values.database.owner.existingSecret | default $secret | quote }}
{{- end -}}

{{/* A URL of Postgres without a password, which a file has. The context is {root, user, host, port}. */}}
{{- define "marketplace.databaseUrl" -}}
{{- $database := include "marketplace.database" .root | fromYaml -}}
postgres://{{ .user }}@{{ .host }}:{{ .port }}/{{ .root.Values.database.name }}?sslmode={{ $database.sslMode }}
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
