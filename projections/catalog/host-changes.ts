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
  /** By the keys of services, and '' for the node; rows are undefined for checks that no longer apply. */
  readonly #checks = new Map<string, { readonly key: string; readonly row: CheckRow | undefined }[]>()

  /** @param service its key, or '' for a check of the node @param row undefined for a check that no longer applies to it */
  setCheck(service: string, key: string, row: CheckRow | undefined): void {
    if (service === '') this.affectsAll = true
    getOrCreate(this.#checks, service, () => []).push({ key, row })
  }

  /** The keys of the services whose checks changed. */
  services(): Iterable<string> {
    return this.#checks.keys()
  }

  /** Returns the checks of a service, or with '' of the node, after the changes. Cost: all of them, or nothing without a change. */
  checksOf(service: string, before: readonly CheckRow[]): readonly CheckRow[] {
    const changes = this.#checks.get(service)
    if (!changes) return before
    const checks = new Overlay(keyOf)
    for (const { key, row } of changes)
      if (row) checks.put(row)
      else checks.remove(key)
    return checks.list(before, isOfService, byCheckKey)
  }
}
