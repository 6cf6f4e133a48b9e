{{/* The context is {root, of, settings, password}, as for the volumes. `of` is a service, `jobs` or `test`. */}}
{{- define "marketplace.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if and .password (not .root.Values.database.passwordFile) }}
- name: database
  mountPath: /etc/marketplace/database
  readOnly: true
{{- end }}
{{- range $volume, $_ := include "marketplace.secrets" . | fromYaml }}
- name: secrets-{{ $volume }}
  mountPath: /etc/marketplace/secrets/{{ $volume }}
  readOnly: true
{{- end }}
{{- if and (ne .of "test") (include "marketplace.natsFiles" .root) }}
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
    # Sourcing copies the files there that it renders: two of at most 200 MB.
    sizeLimit: {{ ternary "512Mi" "64Mi" (eq .of "sourcing") }}
{{- if and .password (not .root.Values.database.passwordFile) }}
- name: database
  secret:
    secretName: {{ .password.secret | quote }}
    items: [{ key: {{ .password.key | quote }}, path: password }]
    {{- if .password.optional }}
    optional: true
    {{- end }}
{{- end }}
{{- range $volume, $secret := include "marketplace.secrets" . | fromYaml }}
- name: secrets-{{ $volume }}
  secret:
    secretName: {{ $secret.secret | quote }}
    items:
      {{- range $secret.keys | values | sortAlpha }}
      - { key: {{ . | quote }}, path: {{ . | quote }} }
      {{- end }}
    {{- if $secret.optional }}
    optional: true
    {{- end }}
{{- end }}
{{- with ternary "" (include "marketplace.natsFiles" .root) (eq .of "test") }}
- name: nats
  secret:
    secretName: {{ include "marketplace.natsSecret" $ | quote }}
    items:
      {{- range fromYaml . | values | sortAlpha }}
      - { key: {{ . | quote }}, path: {{ . | quote }} }
      {{- end }}
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

{{/* The names of the secrets with the credentials for images, as YAML: a value has names, or maps with the name. */}}
{{- define "marketplace.pullSecrets" -}}
{{- $names := list -}}
{{- range concat .Values.global.imagePullSecrets .Values.imagePullSecrets .Values.image.pullSecrets -}}
{{- $names = append $names (kindIs "map" . | ternary (get (kindIs "map" . | ternary . dict) "name") .) -}}
{{- end -}}
{{- uniq $names | toYaml -}}
{{- end -}}

{{/* What every pod has: no token of the cluster, and the settings of pods. The context is {root, settings, account}. */}}
{{- define "marketplace.podSpec" -}}
serviceAccountName: {{ .account | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .settings.podSecurityContext | nindent 2 }}
{{- with include "marketplace.pullSecrets" .root | fromYamlArray }}
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

