{{/* Refuses values that cannot work, with what to change. The schema of the values refuses wrong types. */}}
{{- define "marketplace.validate" -}}
{{- if not .Values.publicUrl }}{{ fail "Set publicUrl to the address at which clients reach the API, such as https://api.example.com." }}{{ end -}}
{{- if or (contains "." .Release.Name) (regexMatch "^[0-9]" .Release.Name) (hasPrefix "-" .Release.Name) -}}
{{- if not .Values.fullnameOverride }}{{ fail (printf "The release name %s cannot begin the name of a Service: set fullnameOverride to a name of lower-case letters, digits and hyphens that begins with a letter." .Release.Name) }}{{ end -}}
{{- end -}}
{{- if and (or .Values.ingress.enabled .Values.httpRoute.enabled) (regexMatch "^[0-9.]+$|:" (include "marketplace.host" .)) }}{{ fail (printf "Set publicUrl to an address with a name instead of %s, or ingress.enabled=false and httpRoute.enabled=false." (include "marketplace.host" .)) }}{{ end -}}
{{- if .Values.dev.enabled -}}
{{- $own := dict "database.host" .Values.database.host "database.pooler.host" .Values.database.pooler.host "database.readHost" .Values.database.readHost "database.webhooks.host" .Values.database.webhooks.host "database.existingSecret" .Values.database.existingSecret "database.owner.existingSecret" .Values.database.owner.existingSecret "nats.url" .Values.nats.url "nats.existingSecret" .Values.nats.existingSecret "nats.jobs.existingSecret" .Values.nats.jobs.existingSecret "encryption.existingSecret" .Values.encryption.existingSecret -}}
{{- range $key, $value := $own }}{{ if $value }}{{ fail (printf "Remove %s, because dev.enabled=true starts its own Postgres and NATS and creates their secrets." $key) }}{{ end }}{{ end -}}
{{- else -}}
{{- if not .Values.database.host }}{{ fail "Set database.host to your Postgres, or dev.enabled=true for an evaluation without persistence." }}{{ end -}}
{{- if not (or .Values.database.existingSecret .Values.database.passwordFile) }}{{ fail "Set database.existingSecret to the secret with the passwords of the service roles, or database.passwordFile." }}{{ end -}}
{{- if and .Values.database.passwordFile (or .Values.database.existingSecret .Values.database.owner.existingSecret) }}{{ fail "Remove database.existingSecret and database.owner.existingSecret, because database.passwordFile has the passwords." }}{{ end -}}
{{- if and .Values.database.passwordFile .Values.database.manageRoles }}{{ fail "Set database.manageRoles=false: the migration does not know the passwords that database.passwordFile has." }}{{ end -}}
{{- if not .Values.encryption.existingSecret }}{{ fail "Set encryption.existingSecret to the secret with the encryption keys." }}{{ end -}}
{{- if not .Values.storage.s3.endpoint }}{{ fail "Set storage.s3.endpoint to an S3-compatible store." }}{{ end -}}
{{- end -}}
{{- if and .Values.mail.existingSecret (not .Values.mail.from) }}{{ fail "Set mail.from to the sender of the mails, such as Marketplace <no-reply@example.com>." }}{{ end -}}
{{- if .Values.storage.s3.endpoint -}}
{{- if not .Values.storage.s3.bucket }}{{ fail "Set storage.s3.bucket to an existing bucket." }}{{ end -}}
{{- if not (or .Values.storage.s3.existingSecret .Values.storage.s3.platformIdentity) }}{{ fail "Set storage.s3.existingSecret to the secret with the access key of the store, or storage.s3.platformIdentity=true." }}{{ end -}}
{{- if and .Values.storage.s3.existingSecret .Values.storage.s3.platformIdentity }}{{ fail "Remove storage.s3.existingSecret, because storage.s3.platformIdentity=true takes the access key from the platform." }}{{ end -}}
{{- end -}}
{{- $enabled := include "marketplace.enabledServices" . | fromYamlArray -}}
{{- if not $enabled }}{{ fail "Set services.<name>.enabled=true for one service at least." }}{{ end -}}
{{- include "marketplace.validateLabels" . -}}
{{- include "marketplace.validateReplicas" . -}}
{{- with .Values.nats -}}
{{- if and .url .existingSecret (eq .secretType "url") }}{{ fail "Remove nats.url, because nats.existingSecret has the URL (nats.secretType=url)." }}{{ end -}}
{{- if and (not .url) .existingSecret (ne .secretType "url") }}{{ fail "Set nats.url to the servers that the credentials of nats.existingSecret are for." }}{{ end -}}
{{- if and (eq .secretType "certificate") .existingSecret (not (hasPrefix "tls://" .url)) }}{{ fail "Set nats.url to tls://…, because NATS reads a client certificate over TLS only." }}{{ end -}}
{{- if and .jobs.existingSecret (not .existingSecret) }}{{ fail "Set nats.existingSecret to the secret of the services, beside nats.jobs.existingSecret." }}{{ end -}}
{{- if and .prefix (ne (include "marketplace.usesNats" $) "true") }}{{ fail "Remove nats.prefix, or set nats.url: without NATS events run over Postgres." }}{{ end -}}
{{- end -}}
{{- if and .Values.jobs.serviceAccount.create .Values.jobs.serviceAccount.name }}{{ fail (printf "Set jobs.serviceAccount.create=false to run the Jobs with the existing account %s." .Values.jobs.serviceAccount.name) }}{{ end -}}
{{- if and .Values.database.webhooks.host (ne (include "marketplace.usesNats" .) "true") }}{{ fail "Set nats.url, or remove database.webhooks.host: events run over Postgres only where all services share it." }}{{ end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}{{ fail "Set httpRoute.parentRefs to your gateways." }}{{ end -}}
{{- if .Values.keda.enabled -}}
{{- $webhooks := include "marketplace.service" (dict "root" . "name" "webhooks") | fromYaml -}}
{{- if $webhooks.autoscaling.enabled }}{{ fail "Webhooks are scaled by KEDA or by the CPU, not by both: set services.webhooks.autoscaling.enabled=false, or keda.enabled=false." }}{{ end -}}
{{- if not .Values.keda.prometheusUrl }}{{ fail "Set keda.prometheusUrl to the Prometheus that scrapes the pods, such as http://prometheus.monitoring.svc:9090." }}{{ end -}}
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

{{/* Labels of users beside those of the chart, of which selectors consist. */}}
{{- define "marketplace.validateLabels" -}}
{{- $labels := dict "commonLabels" .Values.commonLabels "podLabels" .Values.podLabels "service.labels" .Values.service.labels "serviceAccount.labels" .Values.serviceAccount.labels "jobs.serviceAccount.labels" .Values.jobs.serviceAccount.labels -}}
{{- range $name, $service := .Values.services }}
{{- $_ := set $labels (printf "services.%s.podLabels" $name) ($service.podLabels | default dict) -}}
{{- $_ := set $labels (printf "services.%s.service.labels" $name) (dig "service" "labels" dict $service) -}}
{{- $_ := set $labels (printf "services.%s.serviceAccount.labels" $name) (dig "serviceAccount" "labels" dict $service) -}}
{{- end -}}
{{- range $name := list "serviceMonitor" "alerts" "dashboard" }}{{ $_ := set $labels (printf "metrics.%s.labels" $name) (index $.Values.metrics $name).labels }}{{ end -}}
{{- range $key, $set := $labels -}}
{{- range $label, $_ := $set -}}
{{- if or (hasPrefix "app.kubernetes.io/" $label) (hasPrefix "helm.sh/" $label) }}{{ fail (printf "Remove %s from %s: the chart sets these labels." $label $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "marketplace.validateReplicas" -}}
{{- range $name := include "marketplace.enabledServices" . | fromYamlArray -}}
{{- $service := include "marketplace.service" (dict "root" $ "name" $name) | fromYaml -}}
{{- with $service.autoscaling -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}{{ fail (printf "Lower autoscaling.minReplicas of %s (%d) to autoscaling.maxReplicas (%d), or raise the latter." $name (int .minReplicas) (int .maxReplicas)) }}{{ end -}}
{{- end -}}
{{- if and $service.serviceAccount.create $service.serviceAccount.name }}{{ fail (printf "Set serviceAccount.create=false to run %s with the existing account %s." $name $service.serviceAccount.name) }}{{ end -}}
{{- end -}}
{{- with .Values.keda -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}{{ fail (printf "Lower keda.minReplicas (%d) to keda.maxReplicas (%d), or raise the latter." (int .minReplicas) (int .maxReplicas)) }}{{ end -}}
{{- end -}}
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

{{/* A replica has its pool, and two sessions for LISTEN and locks that bypass a pooler. Webhooks with a Postgres of their own have
     two more connections to that of the others. */}}
{{- define "marketplace.validateConnections" -}}
{{- $needed := dict "database" 0 "database.webhooks" 0 -}}
{{- range $name := include "marketplace.enabledServices" . | fromYamlArray -}}
{{- $service := include "marketplace.service" (dict "root" $ "name" $name) | fromYaml -}}
{{- $server := include "marketplace.serverOf" (dict "root" $ "name" $name) | fromYaml -}}
{{- /* Further replicas start before old ones end in a rolling update. */ -}}
{{- $replicas := add (include "marketplace.maxReplicas" (dict "root" $ "name" $name "service" $service) | int) (int $service.maxSurge) -}}
{{- $isAlone := and (eq $name "webhooks") (eq (include "marketplace.webhooksAreAlone" $) "true") -}}
{{- $at := $isAlone | ternary "database.webhooks" "database" -}}
{{- $each := empty $server.pooler.host | ternary (add 2 (int $service.databasePoolSize)) 2 -}}
{{- $_ := set $needed $at (add (index $needed $at) (mul $replicas $each)) -}}
{{- if and $isAlone (empty $.Values.database.pooler.host) }}{{ $_ := set $needed "database" (add (index $needed "database") (mul $replicas 2)) }}{{ end -}}
{{- end -}}
{{- range $at, $max := dict "database" .Values.database.maxConnections "database.webhooks" .Values.database.webhooks.maxConnections -}}
{{- if and $max (gt (int (index $needed $at)) (int $max)) -}}
{{- fail (printf "The services may open %d connections, but %s.maxConnections is %d: lower databasePoolSize or the maximum number of replicas, put a pooler in front (%s.pooler.host), or raise max_connections of Postgres." (int (index $needed $at)) $at (int $max) $at) -}}
{{- end -}}
{{- end -}}
{{- end -}}
