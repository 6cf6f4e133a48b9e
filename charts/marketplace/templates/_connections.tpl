{{/* Connection settings as YAML, of the given Postgres or of that for evaluation. */}}
{{- define "marketplace.database" -}}
{{- $secret := .Values.dev.enabled | ternary (printf "%s-dev" (include "marketplace.fullname" .)) .Values.database.existingSecret -}}
host: {{ .Values.dev.enabled | ternary (printf "%s-dev-postgres" (include "marketplace.fullname" .)) .Values.database.host | quote }}
sslMode: {{ .Values.dev.enabled | ternary "disable" .Values.database.sslMode | quote }}
secret: {{ $secret | quote }}
ownerSecret: {{ .Values.database.owner.existingSecret | default $secret | quote }}
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
