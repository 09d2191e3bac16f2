// Health checks (spec: state.md §3.8).
import {
  CHECK_TOPIC,
  type CheckDefinition,
  type CheckEvent,
  type CheckInput,
  checkResource,
  type CheckState,
  CRITICAL,
  type HealthCheck,
  isCheckEvent
} from '../../events/check.js'
import { keepSecrets, maskSecrets, UnknownSecret } from '../../events/check-secrets.js'
import type { Tenancy } from '../../events/envelope.js'
import { sameContentOf } from '../content.js'
import { lifecycleOf } from '../lifecycle.js'
import { keyOnNode, splitKeyOnNode } from '../ref.js'
import { invalid, Refusal } from '../refusal.js'
import { checkEvent, type CatalogChanges } from './catalog-changes.js'
import { followHealth } from './node.js'

/** A snapshot holds the last event of a check. */
const registration = { CheckRegistration: 'registered', CheckStatusUpdate: 'registered' }

/** An ID is unique only on its node, where checks of the node and of services in `default` share it. */
export const checkLifecycle = lifecycleOf<CheckEvent>({
  topic: CHECK_TOPIC,
  states: { absent: registration, registered: { ...registration, CheckDeregistration: 'absent' } },
  stateOf: ({ catalog }, { partition, namespace, key }) => {
    const [node, id] = splitKeyOnNode(key)
    const tenancy = { partition, namespace: namespace || 'default' }
    return catalog.check(tenancy, node, id) ? 'registered' : 'absent'
  },
  keyOf: event => {
    if (!isCheckEvent(event)) return event.Key
    const { Node, CheckID } = event.Payload.Check
    return keyOnNode(Node.toLowerCase(), CheckID.toLowerCase())
  }
})

/** The fields of a definition. A change of Type, Interval, Timeout or ExposedPort alone does not count. */
const sameDefinition = sameContentOf(checkResource, [
  'Status',
  'Output',
  'Type',
  'Interval',
  'Timeout',
  'ExposedPort'
])

/** @throws Refusal `invalid` for a placeholder without a stored secret */
const withKeptSecrets = (
  definition: CheckDefinition,
  stored: CheckDefinition | undefined
): CheckDefinition => {
  try {
    return keepSecrets(definition, stored)
  } catch (error) {
    throw error instanceof UnknownSecret
      ? invalid('catalog.invalid', `Invalid check: ${error.message}`)
      : error
  }
}

const sameRunner = (a: CheckState, b: CheckState): boolean =>
  JSON.stringify(a.runner) === JSON.stringify(b.runner)

/**
 * Replaces a check. A critical one ends the sessions that depend on it. A secret written as `<hidden>` keeps
 * its stored value, and the output never repeats secrets.
 * @param tenancy of the check's service; checks of nodes are in `default`
 * @param agentDefinition what the agent runs, for its own checks
 * @returns the check as stored
 * @throws Refusal `invalid` when its node or service does not exist, or a hidden secret is not stored
 */
export const ensureCheck = (
  unit: CatalogChanges,
  tenancy: Tenancy,
  input: CheckInput,
  agentDefinition?: CheckDefinition
): CheckState => {
  const { catalog, index } = unit
  const { partition } = tenancy
  if (!catalog.node(partition, input.Node))
    throw new Refusal('catalog.node-unknown', `Missing node registration: node "${input.Node}"`, 'missing')
  const isOfNode = input.ServiceID === ''
  const namespace = isOfNode ? 'default' : tenancy.namespace
  const service = isOfNode ? undefined : catalog.service(tenancy, input.Node, input.ServiceID)?.service
  if (!isOfNode && !service)
    throw new Refusal(
      'catalog.service-unknown',
      `Missing service registration: service "${input.ServiceID}" on node "${input.Node}"`,
      'missing'
    )
  const before = catalog.check({ partition, namespace }, input.Node, input.CheckID)
  const Definition = withKeptSecrets(input.Definition, before?.check.Definition)
  const runner = agentDefinition && withKeptSecrets(agentDefinition, before?.runner)
  const check: HealthCheck = {
    ...input,
    Definition,
    Status: input.Status || CRITICAL,
    Output: maskSecrets(input.Output, runner ? [Definition, runner] : [Definition]),
    ServiceName: service?.Service ?? input.ServiceName,
    ServiceTags: service ? service.Tags : input.ServiceTags,
    CreateIndex: before?.check.CreateIndex ?? index,
    ModifyIndex: index
  }
  const state: CheckState = { partition, namespace, check, runner }
  const isSame = before !== undefined && sameDefinition(before.check, check) && sameRunner(before, state)
  const isUpdate =
    !before || before.check.Status !== check.Status || before.check.Output !== check.Output || !isSame
  if (isUpdate) {
    // Only checks of services have a namespace, so this is another resource.
    if (before && (before.check.ServiceID === '') !== isOfNode)
      unit.emit(checkEvent('CheckDeregistration', before))
    unit.emit(checkEvent(isSame ? 'CheckStatusUpdate' : 'CheckRegistration', state))
    if (isOfNode || before?.check.ServiceID === '') followHealth(unit, partition, input.Node)
  }
  if (check.Status === CRITICAL) unit.endSessionsOfCheck(state)
  return isUpdate || !before ? state : before
}

export const removeCheck = (unit: CatalogChanges, state: CheckState): void => {
  const { partition, check } = state
  unit.emit(checkEvent('CheckDeregistration', state))
  unit.endSessionsOfCheck(state)
  if (check.ServiceID === '') followHealth(unit, partition, check.Node)
}
