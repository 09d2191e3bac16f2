import { checkState, isCheckEvent } from '../../../events/check.js'
import test from 'ava'
import { UnitOfWork } from '../../../actors/unit-of-work.js'
import { lifecycles } from '../../../actors/aggregates.js'
import { catalogAggregate, type CatalogCommand } from '../../../actors/catalog/catalog.js'
import { namespaceUpserted } from '../../../actors/namespace.js'
import { Refusal } from '../../../actors/refusal.js'
import { sessionEvent } from '../../../actors/session.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { checkInput, deregister, nodeInput, perform, register, serviceInput } from '../../support/catalog.js'
import { viewsAfter } from '../../support/decision-spec.js'

const ID_1 = '11111111-2222-3333-4444-555555555501'
const ID_2 = '11111111-2222-3333-4444-555555555502'

const after = (...commands: readonly CatalogCommand[]) => {
  const views = viewsAfter([])
  perform(views, ...commands)
  return {
    views,
    when: (asked: CatalogCommand): readonly string[] => {
      const events = catalogAggregate.decide(asked, views, views.index + 1)
      new UnitOfWork(lifecycles, views).takeAll(events)
      return events.map(({ Type, Key }) => `${Type} ${Key}`)
    },
    refusal: (asked: CatalogCommand): string => {
      try {
        catalogAggregate.decide(asked, views, views.index + 1)
      } catch (error) {
        if (error instanceof Refusal) return error.message
        throw error
      }
      return ''
    }
  }
}

test('a service and its check go into no namespace that is being deleted, nor into one that is not there', t => {
  const views = viewsAfter([
    namespaceUpserted('default', {
      Name: 'going',
      DeletedAt: '2026-01-01T00:00:00Z',
      CreateIndex: 1,
      ModifyIndex: 1
    })
  ])
  const node = register(nodeInput('n'))
  const kindOf = (data: Partial<typeof node.data>) =>
    t.throws(() => catalogAggregate.decide({ ...node, data: { ...node.data, ...data } }, views, 2), {
      instanceOf: Refusal
    }).kind
  const inNamespace = (namespace: string) => [
    kindOf({ service: serviceInput('web'), serviceNamespace: namespace }),
    kindOf({ checks: [{ input: checkInput('n', 'c', { ServiceID: 'web' }), namespace }] })
  ]
  t.deepEqual(inNamespace('going'), ['conflict', 'conflict'])
  t.deepEqual(inNamespace('nowhere'), ['invalid', 'invalid'])
})

const web = register(nodeInput('n'), {
  service: serviceInput('web'),
  checks: [checkInput('n', 'c', { ServiceID: 'web' })]
})

test('a registration comes to a node, a service and checks, in this order and in one commit', t => {
  t.deepEqual(after().when(web), ['NodeRegistration n', 'ServiceRegistration web', 'CheckRegistration c'])
})

test('repeating a registration changes nothing, and events contain only the differences', t => {
  const { when } = after(web)
  t.deepEqual(when(web), [])
  t.deepEqual(when(register(nodeInput('n', { Address: '10.0.0.2' }), { service: serviceInput('web') })), [
    'NodeRegistration n'
  ])
  const failing = checkInput('n', 'c', { ServiceID: 'web', Output: 'o' })
  t.deepEqual(when(register(nodeInput('n'), { checks: [failing] })), ['CheckStatusUpdate c'])
})

test('with SkipNodeUpdate an existing node stays as it is', t => {
  const node = nodeInput('n', { Address: '10.0.0.9' })
  t.deepEqual(after(web).when(register(node, { skipNodeUpdate: true })), [])
  t.deepEqual(after().when(register(node, { skipNodeUpdate: true })), ['NodeRegistration n'])
})

test('a removed node takes its checks, services and sessions along, and goes last', t => {
  const { views, when } = after(web)
  const session = {
    ID: ID_1,
    Name: '',
    Node: 'n',
    LockDelay: 0,
    Behavior: 'release' as const,
    TTL: '',
    NodeChecks: null,
    ServiceChecks: null,
    CreateIndex: 2,
    ModifyIndex: 2
  }
  const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
  const Events = [sessionEvent('SessionCreated', DEFAULT_TENANCY, session)]
  views.apply({ Index: views.index + 1, Time: '', By, Events })
  t.deepEqual(when(deregister('N')), [
    'CheckDeregistration c',
    'ServiceDeregistration web',
    `SessionInvalidated ${ID_1}`,
    'NodeDeregistration n'
  ])
})

test('a removed service takes its checks along; what is not there is no error', t => {
  const { when } = after(web)
  t.deepEqual(when(deregister('n', { serviceId: 'WEB' })), [
    'CheckDeregistration c',
    'ServiceDeregistration web'
  ])
  t.deepEqual(when(deregister('n', { serviceId: 'other' })), [])
  t.deepEqual(when(deregister('other')), [])
})

test('an ID under another name renames: what was under the old name goes', t => {
  const { when } = after(register(nodeInput('n', { ID: ID_1 }), { service: serviceInput('web') }))
  t.deepEqual(when(register(nodeInput('m', { ID: ID_1 }))), [
    'ServiceDeregistration web',
    `NodeDeregistration ${ID_1}`,
    `NodeRegistration ${ID_1}`
  ])
})

test('the name of a node that is well is not taken over by another ID', t => {
  const healthy = { checks: [checkInput('n', 'serfHealth')] }
  const { refusal } = after(register(nodeInput('n', { ID: ID_1 }), healthy))
  t.regex(refusal(register(nodeInput('N', { ID: ID_2 }))), /is reserved by node 1{8}-/)
  t.is(after(register(nodeInput('n', { ID: ID_1 }))).refusal(register(nodeInput('n', { ID: ID_2 }))), '')
  t.is(after(register(nodeInput('n'), healthy)).refusal(register(nodeInput('n', { ID: ID_2 }))), '')
})

test('the checks of a node itself decide its status; maintenance makes it ineligible', t => {
  const { views, when } = after(register(nodeInput('n')))
  t.deepEqual(when(register(nodeInput('n'), { checks: [checkInput('n', 'a')] })), [
    'CheckRegistration a',
    'NodeEvent n'
  ])
  perform(views, register(nodeInput('n'), { checks: [checkInput('n', 'a')] }))
  t.is(views.catalog.node('default', 'n')?.status, 'ready')
  const maintenance = checkInput('n', '_node_maintenance', { Status: 'critical' })
  const events = perform(views, register(nodeInput('n'), { checks: [maintenance] }))
  t.deepEqual(
    events.map(({ Type }) => Type),
    ['CheckRegistration', 'NodeEvent', 'NodeEligibility']
  )
  t.is(views.catalog.node('default', 'n')?.status, 'down')
  t.is(views.catalog.node('default', 'n')?.node.ModifyIndex, 1)
})

test('changes of checks and the removal of a service never list all checks of their node', t => {
  const { views, when } = after(web, register(nodeInput('n'), { checks: [checkInput('n', 'a')] }))
  let lists = 0
  const { catalog } = views
  const listed = catalog.checksOn.bind(catalog)
  catalog.checksOn = (...place) => {
    lists++
    return listed(...place)
  }
  const checks = ['b', 'd'].map(id => checkInput('n', id, { Status: 'critical' }))
  t.deepEqual(when(register(nodeInput('n'), { checks })), [
    'CheckRegistration b',
    'NodeEvent n',
    'CheckRegistration d'
  ])
  t.deepEqual(when(deregister('n', { checkId: 'a' })), ['CheckDeregistration a', 'NodeEvent n'])
  t.deepEqual(when(deregister('n', { serviceId: 'web' })), [
    'CheckDeregistration c',
    'ServiceDeregistration web'
  ])
  t.is(lists, 0)
  when(deregister('n'))
  t.is(lists, 1)
})

test('a registration that breaks a rule is refused as a whole and names the rule', t => {
  const { refusal } = after()
  t.regex(refusal(register(nodeInput(''))), /Must provide node/)
  t.regex(refusal(register(nodeInput('n', { Address: '' }))), /address/)
  t.regex(refusal(register(nodeInput('n', { ID: 'x' }))), /Bad node ID/)
  t.regex(refusal(register(nodeInput('n'), { service: serviceInput('', { ID: 'a' }) })), /service name/)
  t.regex(refusal(register(nodeInput('n'), { service: serviceInput('a', { Address: '::' }) })), /address/)
  t.regex(refusal(register(nodeInput('n'), { service: serviceInput('a', { Meta: { 'a b': '' } }) })), /Meta/)
  t.regex(
    refusal(register(nodeInput('n'), { checks: [checkInput('n', 'c', { ServiceID: 'x' })] })),
    /Missing service registration/
  )
})

test('headers, body and the password in the URL of a check are kept apart from what is streamed', t => {
  const Definition = {
    HTTP: 'http://probe:secret-1@x/alive',
    Header: { Authorization: ['Bearer secret-2'], 'X-Key': ['secret-3'] },
    Body: '{"key":"secret-4"}'
  }
  const asked = register(nodeInput('n'), { checks: [checkInput('n', 'c', { Definition })] })
  const views = viewsAfter([])
  const events = perform(views, asked)
  t.notRegex(JSON.stringify(events.map(({ Payload }) => Payload)), /secret-/)
  t.regex(JSON.stringify(events.map(({ Payload }) => Payload)), /probe:<hidden>@x\/alive/)
  t.deepEqual(views.catalog.check(DEFAULT_TENANCY, 'n', 'c')?.check.Definition, Definition)
})

test('a check of a log in which only its Authorization header was kept apart is read as it was', t => {
  const Header = { Authorization: ['Bearer secret'], Accept: ['*/*'] }
  const views = viewsAfter([])
  const events = perform(views, register(nodeInput('n'), { checks: [checkInput('n', 'c')] }))
  const former = events.find(isCheckEvent)
  if (!former) return t.fail()
  const { Check } = former.Payload
  const Definition = { HTTP: 'http://x', Header: { ...Header, Authorization: ['<hidden>'] } }
  const state = checkState({
    ...former,
    Payload: { Check: { ...Check, Definition } },
    Secrets: { Definition: JSON.stringify({ Authorization: Header.Authorization }) }
  })
  t.deepEqual(state.check.Definition, { HTTP: 'http://x', Header })
})
