{{- define "fleetshift-agent.selector" -}}
app.kubernetes.io/name: fleetshift-agent
{{- end }}

{{- define "fleetshift-agent.labels" -}}
{{ include "fleetshift-agent.selector" . }}
app.kubernetes.io/part-of: fleetshift
{{- end }}

{{- define "fleetshift-agent.subjects" -}}
- kind: ServiceAccount
  name: fleetshift-agent
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- /* Takes root, name and role. */ -}}
{{- define "fleetshift-agent.clusterRoleBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
  labels:
    {{- include "fleetshift-agent.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .role }}
subjects:
  {{- include "fleetshift-agent.subjects" .root | nindent 2 }}
{{- end }}
