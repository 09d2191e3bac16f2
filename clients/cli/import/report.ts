import { table, safe, type Content } from '../remote/output.js'

interface Counts {
  Written: number
  Same: number
  Differing: number
  Left: number
}

interface Exception {
  readonly Kind: string
  readonly Namespace: string
  readonly Name: string
  readonly Why: string
}

const DIFFERS = 'it is there already and says something else: --overwrite takes it over'
/** Maximum of lines for one reason; JSON contains all. */
const MAX_LISTED = 20

export class ImportReport {
  readonly #counts = new Map<string, Counts>()
  readonly #exceptions: Exception[] = []

  constructor(private readonly isDryRun: boolean) {}

  get isComplete(): boolean {
    return this.#exceptions.length === 0
  }

  written(kind: string): void {
    this.#of(kind).Written++
  }

  same(kind: string): void {
    this.#of(kind).Same++
  }

  differing(kind: string, Namespace: string, Name: string): void {
    this.#of(kind).Differing++
    this.#exceptions.push({ Kind: kind, Namespace, Name, Why: DIFFERS })
  }

  left(Kind: string, Namespace: string, Name: string, Why: string): void {
    this.#of(Kind).Left++
    this.#exceptions.push({ Kind, Namespace, Name, Why })
  }

  unread(Kind: string, Namespace: string, Why: string): void {
    const isSame = (one: Exception): boolean =>
      one.Kind === Kind && one.Namespace === Namespace && one.Why === Why
    if (!this.#exceptions.some(isSame)) this.#exceptions.push({ Kind, Namespace, Name: '*', Why })
  }

  toJSON(): object {
    return { DryRun: this.isDryRun, Kinds: this.#kinds(), Exceptions: this.#exceptions }
  }

  toText(): Content {
    const written = this.isDryRun ? 'To write' : 'Written'
    const counts = table(['Kind', [written, 'Written'], 'Same', 'Differing', 'Left'], this.#kinds())
    return [counts, ...this.#exceptionLines()]
  }

  #kinds(): readonly ({ readonly Kind: string } & Counts)[] {
    return [...this.#counts].map(([Kind, counts]) => ({ Kind, ...counts }))
  }

  #exceptionLines(): readonly string[] {
    const byReason = new Map<string, Exception[]>()
    for (const exception of this.#exceptions) {
      const of = `${exception.Kind}: ${exception.Why}`
      byReason.set(of, [...(byReason.get(of) ?? []), exception])
    }
    return [...byReason].flatMap(([reason, all]) => [
      '',
      `Not imported, ${safe(reason)}`,
      ...all
        .slice(0, MAX_LISTED)
        .map(({ Namespace, Name }) => `  ${safe(Namespace === 'default' ? Name : `${Namespace}/${Name}`)}`),
      ...(all.length > MAX_LISTED ? [`  and ${all.length - MAX_LISTED} more (--json tells all)`] : [])
    ])
  }

  #of(kind: string): Counts {
    const counts = this.#counts.get(kind) ?? { Written: 0, Same: 0, Differing: 0, Left: 0 }
    this.#counts.set(kind, counts)
    return counts
  }
}
