{{/* The context is {root, settings}, as for the volumes. */}}
{{- define "marketplace.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .root.Values.nats.existingSecret }}
- name: nats
  mountPath: /etc/marketplace/nats
  readOnly: true
{{- end }}
{{- if .root.Values.certificates.existingConfigMap }}
- name: certificates
  mountPath: /etc/marketplace/certificates
  readOnly: true
{{- end }}
{{- with .settings.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "marketplace.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .root.Values.nats.existingSecret }}
- name: nats
  secret:
    secretName: {{ .root.Values.nats.existingSecret | quote }}
    items: [{ key: {{ .root.Values.nats.credentialsKey | quote }}, path: {{ .root.Values.nats.credentialsKey | quote }} }]
{{- end }}
{{- if .root.Values.certificates.existingConfigMap }}
- name: certificates
  configMap:
    name: {{ .root.Values.certificates.existingConfigMap | quote }}
    items: [{ key: {{ .root.Values.certificates.key | quote }}, path: {{ .root.Values.certificates.key | quote }} }]
{{- end }}
{{- with .settings.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What every pod has: no token of the cluster, and the settings of pods. The context is {root, settings, account}. */}}
{{- define "marketplace.podSpec" -}}
serviceAccountName: {{ .account | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .settings.podSecurityContext | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" "initContainers" }}
{{- with index $.settings $field }}
{{ dict $field . | toYaml }}
{{- end }}
{{- end }}
{{- with .settings.podSpec }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The pod of a Job or a test: the settings of all services, and an account that the chart does not create. */}}
{{- define "marketplace.taskSpec" -}}
restartPolicy: Never
{{ include "marketplace.podSpec" (dict "root" . "settings" .Values "account" (.Values.serviceAccount.create | ternary "default" (.Values.serviceAccount.name | default "default"))) }}
{{- end -}}
