// The names that binding rules give (spec: auth.md §5.3, §7).
import type { BindType } from '../../events/binding-rule.js'
import type { Identity } from '../../projections/acl/identity.js'
import type { AuthConfig } from '../auth-method/config.js'

const LONGEST = 256
const IDENTITY = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/
const ROLE = /^[A-Za-z0-9_-]+$/

/** Whether a plain or computed name is one that a rule of this type may give. */
export const isBindName = (type: BindType, name: string): boolean =>
  name.length <= LONGEST && (type === 'role' ? ROLE : IDENTITY).test(name)

/** The variables that templates of a method's rules may use. */
export const variablesOf = (config: AuthConfig): readonly string[] =>
  config.type === 'kubernetes'
    ? ['serviceaccount.namespace', 'serviceaccount.name', 'serviceaccount.uid']
    : [...config.claims.values.values()].map(name => `value.${name}`)

/** An identity that nobody has, by which templates are tried before they are kept. */
export const tryOut = (config: AuthConfig): Identity => ({
  selectable: {},
  variables: new Map(variablesOf(config).map(name => [name, 'fake']))
})
