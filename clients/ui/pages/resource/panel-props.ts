import type { Query } from '../../../typescript/connection.js'
import type { Version } from '../../resources/versions.js'

export interface PanelProps {
  /** The version that the page shows. */
  readonly newest: Version
  /** Identifies the resource in the history: topic, key, ns, partition and node. */
  readonly named: Query
  /** Changes whenever the resource changes. */
  readonly turn: number
}
