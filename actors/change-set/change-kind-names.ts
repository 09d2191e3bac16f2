/** The kinds of resources in change sets, in the order in which most references are satisfied. */
export const CHANGE_KIND_NAMES = [
  'partition',
  'namespace',
  'policy',
  'role',
  'auth-method',
  'binding-rule',
  'token',
  'config-entry',
  'query',
  'key'
] as const

export type ChangeKindName = (typeof CHANGE_KIND_NAMES)[number]

/** Where the resources of each kind are. */
export const CHANGE_KIND_PLACES: Readonly<Record<ChangeKindName, 'cluster' | 'partition' | 'namespace'>> = {
  partition: 'cluster',
  namespace: 'partition',
  policy: 'namespace',
  role: 'namespace',
  'auth-method': 'namespace',
  'binding-rule': 'namespace',
  token: 'namespace',
  'config-entry': 'namespace',
  query: 'cluster',
  key: 'namespace'
}

export const isChangeKind = (text: string): text is ChangeKindName =>
  CHANGE_KIND_NAMES.some(name => name === text)
