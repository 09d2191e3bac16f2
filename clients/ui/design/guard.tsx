// Disables the actions within it during time travel and without a permission, and names the reason:
// <Guard resource="key" segment={name} place={place}>…</Guard>
import { createContext, type RenderableProps } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from '../../typescript/typed/index.js'
import { isSignedIn } from '../session/session.js'
import type { TenancyQuery } from '../session/tenancy.js'
import { EVERYWHERE, usePermission, useResponse } from '../session/use-response.js'
import { asOfIndex } from '../time-travel/as-of-state.js'
import { READ_ONLY } from '../time-travel/read-only.js'
import { Notice } from './notice.js'

export interface Requirement {
  readonly resource: string
  /** Empty for any name. */
  readonly segment?: string
  readonly access?: 'write' | 'write-prefix'
  readonly place: TenancyQuery
}

/** Returns whether a rule permits writes of a resource with some name. Rules of a namespace itself count as those of the operator. */
const isOfWriter = ({ Resource, Level, Intentions }: Schemas['EffectiveRule'], resource: string): boolean => {
  if (resource === 'intention') return Intentions === 'write'
  return Level === 'write' && (Resource === resource || (Resource === 'namespace' && resource === 'operator'))
}

/** Returns why the user cannot act; undefined if they can, and until this is known. @param requirement undefined until it is known */
export const useDenial = (requirement: Requirement | undefined): string | undefined => {
  const { resource = '', segment = '', access = 'write', place = EVERYWHERE } = requirement ?? {}
  const isPast = asOfIndex.value !== undefined
  const isDenied = usePermission(access, resource, place, segment) === false
  const hasRules = isDenied && segment === '' && isSignedIn.value && !isPast
  const rights = useResponse<Schemas['Rights']>(hasRules ? '/v1/acl/token/self/rights' : undefined)
  if (isPast) return READ_ONLY
  const isUnknown = hasRules && rights.value === undefined && rights.failure === undefined
  if (!isDenied || isUnknown || rights.value?.Rules.some(rule => isOfWriter(rule, resource))) return undefined
  const on = segment === '' ? '' : ` on ${JSON.stringify(segment)}`
  return `Changes require ${resource}:${access}${on}.`
}

/** Why the actions within are disabled; undefined if they are enabled. */
export const Denial = createContext<string | undefined>(undefined)

/** Time travel has a note of its own. */
export const MissingPermission = () => {
  const denial = useContext(Denial)
  return denial === undefined || denial === READ_ONLY ? null : <Notice>{denial}</Notice>
}

export const Guard = ({ children, ...requirement }: Requirement & RenderableProps<unknown>) => (
  <Denial.Provider value={useDenial(requirement)}>
    <MissingPermission />
    {children}
  </Denial.Provider>
)
