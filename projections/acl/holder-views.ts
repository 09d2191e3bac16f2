// The holders of a permission as lists show them.
import type { Tenancy } from '../../events/envelope.js'
import type { Views } from '../read-models.js'
import { spaceOf } from '../row-table.js'
import { tenancyViewOf } from '../tenancy-view.js'
import type { Holder, PermissionHolders } from './permission-holders.js'

/** The tokens, roles or binding rules of a tenancy. */
interface HolderPart {
  readonly name: string
  /** Returns those after a key, in the order of their keys. */
  readonly behind: (after: string | undefined) => Iterable<Holder>
}

export const holderPartName = (kind: Holder['kind'], tenancy: Tenancy): string =>
  `${kind} ${spaceOf(tenancy)}`

function* mapped<Row>(rows: Iterable<Row>, holderOf: (row: Row) => Holder): Iterable<Holder> {
  for (const row of rows) yield holderOf(row)
}

interface Source<Row> {
  tenancies(): readonly Tenancy[]
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row>
}

const partsOf = <Row>(
  kind: Holder['kind'],
  source: Source<Row>,
  holderOf: (row: Row) => Holder
): readonly HolderPart[] =>
  source.tenancies().map(tenancy => ({
    name: holderPartName(kind, tenancy),
    behind: after => mapped(source.behind(tenancy, after), holderOf)
  }))

/** Returns everything that may hold a permission. */
export const holderParts = ({ bindingRules, roles, tokens }: Views): readonly HolderPart[] => [
  ...partsOf('binding rule', bindingRules, row => ({ kind: 'binding rule', row })),
  ...partsOf('role', roles, row => ({ kind: 'role', row })),
  ...partsOf('token', tokens, row => ({ kind: 'token', row }))
]

const detailsOf = ({ kind, row }: Holder) => {
  if (kind === 'role') return { Kind: kind, ID: row.role.ID, Name: row.role.Name }
  if (kind === 'binding rule') {
    const { ID, Description, AuthMethod, Selector, BindType, BindName } = row.rule
    return {
      Kind: kind,
      ID,
      Name: Description || undefined,
      AuthMethod,
      Selector: Selector || undefined,
      BindType,
      BindName
    }
  }
  const { AccessorID, Description, AuthMethod } = row.token
  return {
    Kind: AuthMethod === '' ? kind : 'login',
    ID: AccessorID,
    Name: Description || undefined,
    AuthMethod: AuthMethod || undefined
  }
}

/** Returns the JSON of a holder, with the reason of the decision. */
export const holderText = (holder: Holder, holders: PermissionHolders): string => {
  const { Allowed: _, ...reason } = { Allowed: true, ...holders.explanationOf(holder) }
  const tenancy = tenancyViewOf(holder.row.tenancy)
  return JSON.stringify({ ...detailsOf(holder), ...tenancy, ...reason })
}
