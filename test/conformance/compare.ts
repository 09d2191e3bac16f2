// Finds where a server's answers to a case differ from the recorded ones in a way that matters.
import { isList, isObject, valueAt, type Json, type Step, type Transcript } from './case-file.js'
import { Correspondence, isIndexField, likeness } from './correspondence.js'

/** What Annals may say more than the reference, even where a step asks for exactly the recorded fields. */
const OUR_FIELDS: ReadonlySet<string> = new Set([
  'Namespace',
  'Partition',
  'RaftIndex',
  'NodeMeta',
  'LastUsed'
])
const FILTERED = 'x-service-results-filtered-by-acls'

/** The faults of each step; none at all when the case passes. */
export function compare(
  steps: readonly Step[],
  answers: readonly Transcript[]
): readonly (readonly string[])[] {
  const correspondence = new Correspondence()
  return steps.map((step, i) => {
    const answer = answers[i]
    return answer === undefined ? ['not played'] : compareStep(step, answer, correspondence)
  })
}

function compareStep(step: Step, answer: Transcript, correspondence: Correspondence): readonly string[] {
  const { expect } = step
  if (!isExpectedStatus(step, answer.status)) {
    const wanted = step.status ?? (expect.status === 500 ? '4xx' : expect.status)
    return [`status ${answer.status}, want ${wanted}: ${show(answer.body)}`]
  }
  // No answer in time has no words worth comparing.
  if (step.only === 'status' || expect.status === 0) return []
  if (expect.status >= 400) return compareError(expect.body, answer.body, expect.status)
  const comparison = new BodyComparison(step, correspondence)
  comparison.compare('', '', expect.body, answer.body)
  return [...comparison.faults, ...compareHeaders(expect, answer)]
}

/** A mistake of the caller's that the reference answers with 500 is a 4xx here. */
function isExpectedStatus(step: Step, status: number): boolean {
  if (step.status !== undefined) return status === step.status
  if (step.expect.status === 500) return status >= 400 && status < 500
  return status === step.expect.status
}

/** Words are free, but there must be some; a transaction that was rolled back blames the same operations. */
function compareError(recorded: Json, ours: Json, status: number): readonly string[] {
  const errors = valueAt(recorded, 'Errors')
  if (status !== 409 || !isList(errors)) {
    const silent = typeof ours === 'string' ? ours.trim() === '' : !ours
    return silent ? ['an error with no text'] : []
  }
  const faults: string[] = []
  const results = valueAt(ours, 'Results')
  if (results !== null) faults.push(`Results: ${show(results)}, want null`)
  const found = valueAt(ours, 'Errors')
  const ourErrors = isList(found) ? found : []
  if (operations(ourErrors) !== operations(errors))
    faults.push(`Errors at operations ${operations(ourErrors)}, want ${operations(errors)}`)
  for (const one of ourErrors) {
    const what = valueAt(one, 'What')
    if (typeof what !== 'string' || what === '') faults.push('Errors: one with no What')
  }
  return faults
}

const operations = (errors: readonly Json[]): string =>
  JSON.stringify(errors.map(one => valueAt(one, 'OpIndex')))

function compareHeaders(expect: Transcript, answer: Transcript): readonly string[] {
  const faults = Object.keys(expect.headers)
    .filter(name => name.startsWith('x-service-') && answer.headers[name] === undefined)
    .map(name => `header ${name} missing`)
  const filtered = expect.headers[FILTERED]
  if (filtered !== undefined && answer.headers[FILTERED] !== filtered)
    faults.push(`header ${FILTERED} differs`)
  return faults
}

/** Compares one body; `path` is dotted, `field` the last name in it. */
class BodyComparison {
  readonly faults: string[] = []

  constructor(
    private readonly step: Step,
    private readonly correspondence: Correspondence
  ) {}

  compare(path: string, field: string, recorded: Json, ours: Json): void {
    if (this.isIgnored(path)) return
    if (typeof recorded === 'number' && isIndexField(field)) {
      if (typeof ours !== 'number' || !this.correspondence.sameIndex(recorded, ours))
        this.fault(path, `index ${show(ours)} does not stand for ${recorded} (order or reuse)`)
    } else if (typeof recorded === 'string' && typeof ours === 'string') {
      if (!this.correspondence.sameText(field, recorded, ours)) this.differ(path, recorded, ours)
    } else if (isList(recorded) && isList(ours)) this.compareLists(path, field, recorded, ours)
    else if (isObject(recorded) && isObject(ours)) this.compareObjects(path, recorded, ours)
    else if (recorded !== ours) this.differ(path, recorded, ours)
  }

  private compareLists(path: string, field: string, recorded: readonly Json[], ours: readonly Json[]): void {
    if (recorded.length !== ours.length) {
      this.fault(path, `${ours.length} elements, want ${recorded.length}: ${show(ours)} / ${show(recorded)}`)
      return
    }
    const { unordered } = this.step
    const loose = Array.isArray(unordered) ? unordered.includes(path) : unordered === true
    const [wanted, found] = loose ? [byLikeness(recorded), byLikeness(ours)] : [recorded, ours]
    wanted.forEach((one, i) => this.compare(below(path, String(i)), field, one, found[i] ?? null))
  }

  private compareObjects(
    path: string,
    recorded: { readonly [key: string]: Json },
    ours: { readonly [key: string]: Json }
  ): void {
    for (const [key, wanted] of Object.entries(recorded)) {
      const found = ours[key]
      if (found !== undefined) this.compare(below(path, key), key, wanted, found)
      else if (!this.isIgnored(below(path, key)))
        this.fault(below(path, key), `missing, want ${show(wanted)}`)
    }
    if (this.step.exact !== true) return
    for (const [key, found] of Object.entries(ours))
      if (!(key in recorded) && !OUR_FIELDS.has(key))
        this.fault(below(path, key), `not wanted, got ${show(found)}`)
  }

  private isIgnored(path: string): boolean {
    const { ignore = [] } = this.step
    return ignore.includes(path) || ignore.includes(path.replaceAll(/\.\d+/g, '.*').replace(/^\d+/, '*'))
  }

  private differ(path: string, recorded: Json, ours: Json): void {
    this.fault(path, `${show(ours)}, want ${show(recorded)}`)
  }

  private fault(path: string, text: string): void {
    this.faults.push(`${path === '' ? 'body' : path}: ${text}`)
  }
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const byLikeness = (list: readonly Json[]): readonly Json[] =>
  list
    .map(value => ({ value, like: likeness(value) }))
    .toSorted((a, b) => (a.like < b.like ? -1 : Number(a.like > b.like)))
    .map(({ value }) => value)

function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}
