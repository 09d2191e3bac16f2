import { patchText, readablePatch } from '../history/patch-text.js'
import { safe, type Content, type Look } from '../remote/output.js'
import type { ChangeOutcome, Outcome } from './change-plan.js'

const MARKS: Readonly<Record<string, string>> = {
  create: '+',
  update: '~',
  adopt: '=',
  delete: '-',
  refused: '!'
}
const STYLES = { create: 'green', update: 'yellow', adopt: 'dim', delete: 'red', refused: 'red' } as const

const isAction = (action: string): action is keyof typeof STYLES => action in STYLES

/** Fields that every change changes. */
const GENERATED = /^\/(?:CreateIndex|ModifyIndex|Hash)$/

/** The changed fields of an update; their paths begin in the resource. */
const fieldsOf = ({ Kind, Action, Patch }: ChangeOutcome): string => {
  if (Action !== 'update') return ''
  const inResource = Patch.map(operation => ({ ...operation, path: operation.path.replace(/^\/[^/]+/, '') }))
  const shown = inResource.filter(({ path }) => !GENERATED.test(path))
  return patchText(readablePatch(Kind === 'key' ? 'KV' : Kind, shown))
}

const placeOf = ({ Namespace = 'default', Partition = 'default' }: ChangeOutcome): string => {
  if (Partition !== 'default') return ` in ${Partition}/${Namespace}`
  return Namespace === 'default' ? '' : ` in ${Namespace}`
}

const changeText = (change: ChangeOutcome, { paint }: Look): string => {
  const { Kind, Name, Action, SecretsChange, Others = [], Refusal } = change
  const head = safe(`${MARKS[Action] ?? Action} ${Action} ${Kind} ${Name}${placeOf(change)}`)
  const details = [
    fieldsOf(change),
    SecretsChange ? '~ a secret' : '',
    ...Others.map(({ Topic, Type, Key }) => safe(`also ${Topic} ${Type} ${Key}`)),
    Refusal ? safe(Refusal.Message) : ''
  ].filter(text => text !== '')
  return [
    isAction(Action) ? paint(STYLES[Action], head) : head,
    ...details.map(text => text.replaceAll(/^/gm, '    '))
  ].join('\n')
}

/** Returns the number of changes by action: `1 to create, 2 to update`. */
export const summaryOf = ({ Changes }: Outcome): string =>
  Object.keys(MARKS)
    .map(action => ({ action, count: Changes.filter(({ Action }) => Action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => (action === 'refused' ? `${count} refused` : `${count} to ${action}`))
    .join(', ')

/** Returns a line for each change, with the fields of updates. */
export const outcomeText =
  (outcome: Outcome): Content =>
  look => {
    const changes = outcome.Changes.filter(({ Action }) => Action !== 'none')
    if (changes.length === 0) return 'No changes: the server has what the files declare'
    return [...changes.map(change => changeText(change, look)), '', `Plan: ${summaryOf(outcome)}`].join('\n')
  }
