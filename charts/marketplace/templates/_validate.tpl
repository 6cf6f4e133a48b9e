{{/* Refuses values that cannot work, with what to change. The schema of the values refuses wrong types. */}}
{{- define "marketplace.validate" -}}
{{- if not .Values.publicUrl }}{{ fail "Set publicUrl to the address at which clients reach the API, such as https://api.example.com." }}{{ end -}}
{{- if not .Values.dev.enabled -}}
{{- if not .Values.database.host }}{{ fail "Set database.host to your Postgres, or dev.enabled=true for an evaluation without persistence." }}{{ end -}}
{{- if not .Values.database.existingSecret }}{{ fail "Set database.existingSecret to the secret with the passwords of the service roles." }}{{ end -}}
{{- if not .Values.encryption.existingSecret }}{{ fail "Set encryption.existingSecret to the secret with the encryption keys." }}{{ end -}}
{{- if not .Values.storage.s3.endpoint }}{{ fail "Set storage.s3.endpoint to an S3-compatible store." }}{{ end -}}
{{- end -}}
{{- if .Values.storage.s3.endpoint -}}
{{- if not .Values.storage.s3.bucket }}{{ fail "Set storage.s3.bucket to an existing bucket." }}{{ end -}}
{{- if not .Values.storage.s3.existingSecret }}{{ fail "Set storage.s3.existingSecret to the secret with the access key of the store." }}{{ end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}{{ fail "Set httpRoute.parentRefs to your gateways." }}{{ end -}}
{{- if .Values.keda.enabled -}}
{{- $webhooks := include "marketplace.service" (dict "root" . "name" "webhooks") | fromYaml -}}
{{- if $webhooks.autoscaling.enabled }}{{ fail "Webhooks are scaled by KEDA or by the CPU, not by both: set services.webhooks.autoscaling.enabled=false, or keda.enabled=false." }}{{ end -}}
{{- if not (include "marketplace.natsUrl" .) }}{{ fail "KEDA reads the consumer lag of JetStream: set nats.url, or keda.enabled=false." }}{{ end -}}
{{- if not .Values.keda.monitoringEndpoint }}{{ fail "Set keda.monitoringEndpoint to the monitoring endpoint of NATS, such as nats.nats.svc:8222." }}{{ end -}}
{{- end -}}
{{- if .Values.bootstrap.enabled -}}
{{- range list "email" "givenName" "familyName" "organization" "region" -}}
{{- if not (index $.Values.bootstrap .) }}{{ fail (printf "Set bootstrap.%s, or bootstrap.enabled=false." .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if eq (include "marketplace.usesFolder" .) "true" -}}
{{- $sourcing := include "marketplace.service" (dict "root" . "name" "sourcing") | fromYaml -}}
{{- if $sourcing.autoscaling.enabled }}{{ fail "Without storage.s3.endpoint sourcing stores files in its own pod and has one replica: set services.sourcing.autoscaling.enabled=false, or name a store." }}{{ end -}}
{{- end -}}
{{- include "marketplace.validatePaths" . -}}
{{- include "marketplace.validateConnections" . -}}
{{- end -}}

{{/* Each path has one service. A path below another one of another service is allowed: the longest prefix wins. */}}
{{- define "marketplace.validatePaths" -}}
{{- $seen := dict -}}
{{- range $name, $prefixes := .Files.Get "files/paths.yaml" | fromYaml -}}
{{- range $prefixes -}}
{{- if hasKey $seen . }}{{ fail (printf "The path %s belongs to %s and to %s." . (index $seen .) $name) }}{{ end -}}
{{- $_ := set $seen . $name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A replica has its pool, and two sessions for LISTEN and locks that bypass a pooler. */}}
{{- define "marketplace.validateConnections" -}}
{{- if .Values.database.maxConnections -}}
{{- $needed := 0 -}}
{{- range $name := splitList " " (include "marketplace.serviceNames" .) -}}
{{- $service := include "marketplace.service" (dict "root" $ "name" $name) | fromYaml -}}
{{- $replicas := include "marketplace.maxReplicas" (dict "root" $ "name" $name "service" $service) | int -}}
{{- /* One more replica starts before an old one ends in a rolling update. */ -}}
{{- $each := empty $.Values.database.pooler.host | ternary (add 2 (int $service.databasePoolSize)) 2 -}}
{{- $needed = add $needed (mul (add1 $replicas) $each) -}}
{{- end -}}
{{- if gt (int $needed) (int .Values.database.maxConnections) -}}
{{- fail (printf "The services may open %d connections, but database.maxConnections is %d: lower databasePoolSize or the maximum number of replicas, put a pooler in front (database.pooler.host), or raise max_connections of Postgres." (int $needed) (int .Values.database.maxConnections)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
