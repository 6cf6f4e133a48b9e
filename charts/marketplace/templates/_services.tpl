{{- define "marketplace.serviceNames" -}}
identity catalog organization sourcing webhooks
{{- end -}}

{{/* The services that the release runs, as YAML. */}}
{{- define "marketplace.enabledServices" -}}
{{- $names := list -}}
{{- range $name := splitList " " (include "marketplace.serviceNames" .) -}}
{{- if ne (toString (index $.Values.services $name).enabled) "false" }}{{ $names = append $names $name }}{{ end -}}
{{- end -}}
{{- toYaml $names -}}
{{- end -}}

{{/* Whether a path leads to an addition to the specification: an operation, SCIM, or a page that uses one. */}}
{{- define "marketplace.isAddition" -}}
{{- or (hasPrefix "/flows/" .) (hasPrefix "/scim/" .) (has . (list "/console" "/activate" "/impersonate" "/mail-address")) -}}
{{- end -}}

{{/* The service that answers all other paths. The catalog has no additions, so that they are 404 there like unknown paths. */}}
{{- define "marketplace.otherPaths" -}}
{{ ternary "identity" "catalog" .Values.exposeAdditions }}
{{- end -}}

{{/* The settings of a service as YAML: those of all services with its overrides. The context is {root, name}. */}}
{{- define "marketplace.service" -}}
{{- $common := pick .root.Values "replicas" "databasePoolSize" "autoscaling" "podDisruptionBudget" "minReadySeconds" "maxSurge" "strategy" "revisionHistoryLimit" "resources" "startupProbe" "readinessProbe" "livenessProbe" "shutdownSeconds" "preStopSeconds" "env" "envFrom" "service" "serviceAnnotations" "deploymentAnnotations" "podSecurityContext" "containerSecurityContext" "podAnnotations" "podLabels" "nodeSelector" "tolerations" "affinity" "priorityClassName" "podSpec" "initContainers" "extraContainers" "volumes" "volumeMounts" "topologySpread" "topologySpreadConstraints" "serviceAccount" -}}
{{- $service := mergeOverwrite (deepCopy $common) (deepCopy (index .root.Values.services .name)) -}}
{{- /* An evaluation fits into a node with two CPUs. */ -}}
{{- if .root.Values.dev.enabled -}}
{{- $_ := set $service "resources" (mergeOverwrite $service.resources (dict "requests" (dict "cpu" "50m"))) -}}
{{- end -}}
{{- /* Files in the pod's own folder cannot be shared between replicas. */ -}}
{{- if and (eq .name "sourcing") (eq (include "marketplace.usesFolder" .root) "true") -}}
{{- $_ := set $service "replicas" 1 -}}
{{- $_ := set $service "resources" (mergeOverwrite $service.resources (dict "limits" (dict "ephemeral-storage" "3Gi"))) -}}
{{- end -}}
{{- toYaml $service -}}
{{- end -}}

{{- define "marketplace.usesFolder" -}}
{{- and .Values.dev.enabled (not .Values.storage.s3.endpoint) -}}
{{- end -}}

{{/* Whether the replicas of a service vary: by the CPU or by KEDA. The context is {root, name, service}. */}}
{{- define "marketplace.isScaled" -}}
{{- or .service.autoscaling.enabled (and (eq .name "webhooks") .root.Values.keda.enabled) -}}
{{- end -}}

{{/* The number of replicas that a Deployment has, where an autoscaler sets it and Helm may have set it before: without the field
     Kubernetes would run one replica until the autoscaler acts. Empty without a cluster, and where Helm applies on the server
     and does not own the field. The context is {root, name}. */}}
{{- define "marketplace.keptReplicas" -}}
{{- $deployment := lookup "apps/v1" "Deployment" .root.Release.Namespace (printf "%s-%s" (include "marketplace.fullname" .root) .name) -}}
{{- if $deployment -}}
{{- $applies := false -}}
{{- $owns := false -}}
{{- range $deployment.metadata.managedFields -}}
{{- if hasPrefix "helm" (lower .manager) -}}
{{- if eq .operation "Apply" }}{{ $applies = true }}{{ end -}}
{{- if hasKey (dig "fieldsV1" "f:spec" dict .) "f:replicas" }}{{ $owns = true }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if or $owns (not $applies) }}{{ $deployment.spec.replicas }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Most replicas that a service may have. The context is {root, name, service}. */}}
{{- define "marketplace.maxReplicas" -}}
{{- if and (eq .name "webhooks") .root.Values.keda.enabled -}}
{{ .root.Values.keda.maxReplicas }}
{{- else if .service.autoscaling.enabled -}}
{{ .service.autoscaling.maxReplicas }}
{{- else -}}
{{ .service.replicas }}
{{- end -}}
{{- end -}}

{{/* Fewest replicas that a service has. The context is {root, name, service}. */}}
{{- define "marketplace.minReplicas" -}}
{{- if and (eq .name "webhooks") .root.Values.keda.enabled -}}
{{ .root.Values.keda.minReplicas }}
{{- else if .service.autoscaling.enabled -}}
{{ .service.autoscaling.minReplicas }}
{{- else -}}
{{ .service.replicas }}
{{- end -}}
{{- end -}}
