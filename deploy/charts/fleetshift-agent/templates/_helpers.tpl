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

{{- /* Binding of callers through the platform. Takes root, role, clusterRole and, unless it is cluster-wide, namespace. */ -}}
{{- define "fleetshift-agent.roleBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (hasKey . "namespace") }}
metadata:
  name: fleetshift-{{ .role }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "fleetshift-agent.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .clusterRole }}
subjects:
  - apiGroup: rbac.authorization.k8s.io
    kind: Group
    name: fleetshift:role:{{ .role }}
{{- end }}

{{- /* Callers that the agent impersonates as users of their own. */ -}}
{{- define "fleetshift-agent.apiUsers" -}}
{{- if eq .Values.rbac.mode "cluster-admin" }}*{{ else if .Values.apiProxy.users }}{{ join "," .Values.apiProxy.users }}{{ else }}none{{ end }}
{{- end }}

{{- define "fleetshift-agent.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ printf "%s@%s" .repository .digest }}{{ else }}{{ printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) }}{{ end }}
{{- end }}
{{- end }}

{{- define "fleetshift-agent.check" -}}
{{- if has .Release.Namespace .Values.rbac.namespaces }}
{{- fail (printf "rbac.namespaces has %s: the namespace of the agent is reserved for the agent" .Release.Namespace) }}
{{- end }}
{{- end }}
