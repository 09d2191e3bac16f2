import type { Tenancy } from '../../events/envelope.js'
import { sessionDefinition, sessionEvents, type Session, type SessionEvent } from '../../events/session.js'
import type { Fact } from '../projection.js'
import { spaceOf } from '../row-table.js'
import { TenancyRows } from '../table-projection.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { Watch } from '../watch.js'

export interface SessionRow {
  readonly session: Session
  readonly tenancy: Tenancy
  readonly json: string
}

type Shared = 'node' | 'check'

/** Nodes belong to a partition, and have any letter case. */
const nodeKey = (partition: string, node: string): string => `${partition}/${node.toLowerCase()}`
const checkKey = (partition: string, node: string, namespace: string, check: string): string =>
  `${nodeKey(partition, node)}/${namespace}/${check.toLowerCase()}`

/** The checks whose end or failure ends the session. Checks of the node are in the namespace `default`. */
const checksOf = ({ session, tenancy: { partition, namespace } }: SessionRow): string[] => [
  ...[...(session.NodeChecks ?? []), ...(session.Checks ?? [])].map(id =>
    checkKey(partition, session.Node, 'default', id)
  ),
  ...(session.ServiceChecks ?? []).map(({ ID, Namespace }) =>
    checkKey(partition, session.Node, Namespace || namespace, ID)
  )
]

const shown = resourceViewsOf(sessionDefinition)

const toRow = (session: Session, tenancy: Tenancy): SessionRow => ({
  session,
  tenancy,
  json: JSON.stringify(shown(session, tenancy))
})

const inOrder = (rows: Iterable<SessionRow>): SessionRow[] =>
  [...rows].toSorted((a, b) => (a.session.ID < b.session.ID ? -1 : 1))

/**
 * Sessions by ID, node and check. Costs: a look-up or change O(1), a list its sessions.
 * Watch keys: `sessions/<partition>/<namespace>` and `sessions/<partition>`.
 */
export class Sessions extends TenancyRows<SessionRow, Session, SessionEvent, never, Shared> {
  /** @param below the stored sessions under a draft */
  constructor(watch: Watch, below?: Sessions) {
    super(
      watch,
      { plural: 'sessions' },
      {
        events: sessionEvents,
        rowOf: ({ Payload }, tenancy) => toRow(Payload.Session, tenancy),
        resourceOf: ({ session }) => session,
        watched: tenancy => [sessionsWatchKey(tenancy), `sessions/${tenancy.partition}`],
        key: ({ session }) => session.ID,
        order: ({ session }) => session.ID,
        unique: {},
        multi: { node: ({ session, tenancy }) => [nodeKey(tenancy.partition, session.Node)], check: checksOf }
      },
      below
    )
  }

  get(id: string): SessionRow | undefined {
    return this.table.get(id.toLowerCase())
  }

  /** The sessions on a node, of all namespaces of the partition, by ID. */
  onNode(partition: string, node: string): SessionRow[] {
    return inOrder(this.table.sharing('node', nodeKey(partition, node)))
  }

  /** The sessions that depend on a check, by ID. `namespace` is that of the check's service, or `default` for a node. */
  onCheck(partition: string, node: string, namespace: string, check: string): SessionRow[] {
    return inOrder(this.table.sharing('check', checkKey(partition, node, namespace, check)))
  }

  namespaces(partition: string): string[] {
    return this.table.namespaces(partition)
  }

  /** Returns the sessions for uncommitted changes on top of these. */
  draft(): Sessions {
    return new Sessions(new Watch(), this)
  }

  override *facts(): Iterable<Fact> {
    for (const row of inOrder(this.table.all())) yield this.factOf(row)
  }
}

export const sessionsWatchKey = (tenancy: Tenancy): string => `sessions/${spaceOf(tenancy)}`
