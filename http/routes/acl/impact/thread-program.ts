// The work of the thread that compares rights: it collects a change, compares, and returns the effects one by one. Or it folds an earlier state,
// decides, and returns the holders of the permission.
import { HistoricalHolders } from '../../../../projections/acl/historical-holders.js'
import { compareGroups, type ImpactEffect } from '../../../../projections/acl/impact/compare-groups.js'
import { ReceivedChange } from '../../../../projections/acl/impact/compared-change.js'
import type { RightsDifference } from '../../../../projections/acl/impact/rights-differences.js'
import { ruleName, scopeText } from '../../../../projections/acl/rules/model.js'
import type { ComparedEffect, ImpactAnswer, ImpactTask } from './impact-messages.js'

/** The thread's end of its channel. */
interface ImpactPort {
  postMessage(answer: ImpactAnswer): void
  on(name: 'message', take: (task: ImpactTask) => void): void
}

const ANY = '?'

const rightText = ({ resource, segment }: RightsDifference): string => {
  if (resource === 'namespace') return resource
  if (resource === 'intention')
    return segment ? `intention ${JSON.stringify(scopeText(segment))}` : 'every intention'
  if (segment) return ruleName({ resource, ...segment })
  return resource === 'acl' || resource === 'keyring' || resource === 'operator'
    ? resource
    : `every ${resource}`
}

const rightView = (difference: RightsDifference) => {
  const { resource, segment, namespace, partition, gained, lost } = difference
  return {
    Text: rightText(difference),
    Resource: resource,
    ...(segment ? { Segment: segment.label, Match: segment.match } : {}),
    Namespace: namespace.match === 'exact' && namespace.label === '*' ? ANY : scopeText(namespace),
    Partition: scopeText(partition),
    Gained: gained,
    Lost: lost
  }
}

const comparedEffect = ({ rights, ...effect }: ImpactEffect): ComparedEffect => ({
  ...effect,
  rights: JSON.stringify(rights.map(rightView))
})

type StateTask = Extract<ImpactTask, { readonly kind: 'fold' | 'decide' | 'names' | 'texts' }>

const stateAnswer = (state: HistoricalHolders, task: StateTask): ImpactAnswer => {
  switch (task.kind) {
    case 'fold':
      state.add(task.part)
      return { kind: 'folded' }
    case 'decide':
      if (!state.firstErased) state.decide()
      return { kind: 'decided', index: state.index, erased: state.firstErased }
    case 'names':
      return { kind: 'names', names: state.names(task.from, task.count) }
    case 'texts':
      return { kind: 'texts', texts: state.texts(task.numbers) }
  }
}

/** Answers each `compare` and `effect`, and the tasks of a `state`. A change or state replaces the one before. */
export const serveImpacts = (port: ImpactPort): void => {
  let change: ReceivedChange | undefined
  let effects: readonly ImpactEffect[] = []
  let state: HistoricalHolders | undefined
  port.on('message', task => {
    if (task.kind === 'state') state = new HistoricalHolders(task.asked)
    else if (task.kind === 'change') [change, state] = [new ReceivedChange(task.head), undefined]
    else if (task.kind === 'parts') for (const part of task.parts) change?.add(part)
    else if (task.kind === 'compare') {
      if (!change) return
      const { effects: found, ...summary } = compareGroups(change)
      effects = found
      change = undefined
      port.postMessage({ kind: 'compared', effects: found.length, ...summary })
    } else if (task.kind === 'effect') {
      const effect = effects[task.number]
      if (effect) port.postMessage({ kind: 'effect', ...comparedEffect(effect) })
    } else if (state) port.postMessage(stateAnswer(state, task))
  })
}
