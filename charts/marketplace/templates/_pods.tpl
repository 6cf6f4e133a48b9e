{{- define "marketplace.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .Values.nats.existingSecret }}
- name: nats
  mountPath: /etc/marketplace/nats
  readOnly: true
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: certificates
  mountPath: /etc/marketplace/certificates
  readOnly: true
{{- end }}
{{- end -}}

{{- define "marketplace.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .Values.nats.existingSecret }}
- name: nats
  secret:
    secretName: {{ .Values.nats.existingSecret }}
    items: [{ key: {{ .Values.nats.credentialsKey }}, path: {{ .Values.nats.credentialsKey }} }]
{{- end }}
{{- if .Values.certificates.existingConfigMap }}
- name: certificates
  configMap:
    name: {{ .Values.certificates.existingConfigMap }}
    items: [{ key: {{ .Values.certificates.key }}, path: {{ .Values.certificates.key }} }]
{{- end }}
{{- end -}}

{{/* What every pod has: no privileges, no token of the cluster. The context is {root, securityContext}. */}}
{{- define "marketplace.podSecurity" -}}
serviceAccountName: {{ include "marketplace.serviceAccountName" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
  {{- with .securityContext }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "marketplace.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}
