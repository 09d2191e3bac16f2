// Which of our UUIDs, hashes and indexes stands for which recorded one: they differ, but are used the same way.

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const BUILT_IN = /^0{8}-0{4}-0{4}-0{4}-/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const NO_TIME = '0001-01-01'
const INDEX_FIELDS: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex'])
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(['Hash', 'CustomizationHash', 'AuthURL'])

export const isIndexField = (field: string): boolean => INDEX_FIELDS.has(field)

/** One for each case: built up step by step. */
export class Correspondence {
  private readonly ours = new Map<string, string>()
  private readonly recorded = new Map<string, string>()
  private readonly indexes: { readonly recorded: number; readonly ours: number }[] = []

  /** Whether our index stands for the recorded one: always the same one, and in the same order as all others. */
  sameIndex(recorded: number, ours: number): boolean {
    if (recorded === 0 || ours === 0) return recorded === ours
    if (!this.pair('index', String(recorded), String(ours))) return false
    const order = (one: { recorded: number; ours: number }): boolean =>
      Math.sign(recorded - one.recorded) === Math.sign(ours - one.ours)
    if (!this.indexes.every(order)) return false
    this.indexes.push({ recorded, ours })
    return true
  }

  /** Whether our text stands for the recorded one; times need only both be times. */
  sameText(field: string, recorded: string, ours: string): boolean {
    if (OPAQUE_FIELDS.has(field)) return ours !== '' && this.pair('opaque', recorded, ours)
    if (TIME.test(recorded))
      return TIME.test(ours) && recorded.startsWith(NO_TIME) === ours.startsWith(NO_TIME)
    const theirs = recorded.match(UUID) ?? []
    const found = ours.match(UUID) ?? []
    if (theirs.length !== found.length) return false
    if (recorded.replaceAll(UUID, '*') !== ours.replaceAll(UUID, '*')) return false
    return theirs.every((uuid, i) => this.sameUuid(uuid, found[i] ?? ''))
  }

  private sameUuid(recorded: string, ours: string): boolean {
    if (BUILT_IN.test(recorded) || BUILT_IN.test(ours)) return recorded === ours
    return this.pair('uuid', recorded, ours)
  }

  private pair(kind: string, recorded: string, ours: string): boolean {
    const [r, o] = [`${kind}:${recorded}`, `${kind}:${ours}`]
    const known = this.ours.get(r)
    if (known !== undefined) return known === o
    if (this.recorded.has(o)) return false
    this.ours.set(r, o)
    this.recorded.set(o, r)
    return true
  }
}

/** A text in which what may differ between two servers looks the same, to sort lists by that have no order. */
export function likeness(value: unknown): string {
  const text = JSON.stringify(value, (field, one: unknown) => {
    if (isIndexField(field)) return 0
    if (typeof one !== 'string') return one
    if (TIME.test(one)) return 'T'
    if (OPAQUE_FIELDS.has(field)) return 'H'
    return one.replaceAll(UUID, uuid => (BUILT_IN.test(uuid) ? uuid : 'U'))
  })
  return text ?? ''
}
