import { getOrCreate } from '../maps.js'
import { Overlay } from '../overlay.js'
import { byText } from '../row-table.js'
import type { CheckRow } from './rows.js'

const keyOf = ({ key }: CheckRow): string => key
const byCheckKey = (a: CheckRow, b: CheckRow): number => byText(a.key, b.key)
const isOfService = (): boolean => true

/** The changes of a commit on one node, collected so that each instance is replaced once. */
export class HostChanges {
  index = 0
  /** True after a change of the node or of one of its own checks. */
  affectsAll = false
  /** By the keys of services, and '' for the node. */
  readonly #checks = new Map<string, Overlay<CheckRow>>()

  /** @param service its key, or '' for a check of the node @param row undefined for a check that no longer applies to it */
  setCheck(service: string, key: string, row: CheckRow | undefined): void {
    if (service === '') this.affectsAll = true
    const checks = getOrCreate(this.#checks, service, () => new Overlay(keyOf))
    if (row) checks.put(row)
    else checks.remove(key)
  }

  /** The keys of the services whose checks changed. */
  services(): Iterable<string> {
    return this.#checks.keys()
  }

  /** Returns the checks of a service, or with '' of the node, after the changes. Cost: all of them, or nothing without a change. */
  checksOf(service: string, before: readonly CheckRow[]): readonly CheckRow[] {
    return this.#checks.get(service)?.list(before, isOfService, byCheckKey) ?? before
  }
}
