// Bodies and answers of nodes, services and checks (spec: state.md §2, §6.2, §6.3).
import * as Type from 'typebox'
import { checkShape } from '../../events/check.js'
import { nodeShape } from '../../events/node.js'
import { serviceShape } from '../../events/service.js'
import type { Given } from '../../events/shape/types.js'
import { hostFields } from '../../projections/catalog/service-forms.js'
import { givenFields } from './shapes.js'
import { flag, strict, text } from './strict.js'

const tenancy = { Namespace: text('Namespace of the thing'), Partition: text('Its admin partition') }
const indexes = {
  CreateIndex: Type.Optional(Type.Number({ minimum: 0 })),
  ModifyIndex: Type.Optional(Type.Number({ minimum: 0 }))
}

/** A service; the transaction adds an index. */
export const serviceProperties = { ...givenFields(serviceShape.fields), ...indexes }
export type GivenService = Given<typeof serviceShape.fields>
const serviceBody = Type.Unsafe<GivenService>(strict(serviceProperties, { $id: 'ServiceInput' }))

/** A check as a transaction takes it: without what is only shown. */
const { Interval: _shown, Timeout: _also, ExposedPort: _as, ...inTransactions } = checkShape.fields
export const txnCheckProperties = { ...givenFields(inTransactions), ...indexes }
export type GivenTxnCheck = Given<typeof inTransactions>

const checkBody = Type.Unsafe<Given<typeof checkShape.fields>>(
  strict({ ...givenFields(checkShape.fields), ...indexes }, { $id: 'CheckInput' })
)

/** A node; the transaction adds an index. */
export const nodeProperties = { ...givenFields(nodeShape.fields), ...indexes }
export type GivenNode = Given<typeof nodeShape.fields>

const REGISTRATION = {
  Node: 'node-1',
  Address: '10.0.0.1',
  Service: { ID: 'web-1', Service: 'web', Port: 8080, Tags: ['v1'] },
  Check: { Name: 'web answers', ServiceID: 'web-1', Status: 'passing' }
}

interface GivenRegistration extends Given<typeof hostFields> {
  readonly Service?: GivenService
  readonly Check?: Given<typeof checkShape.fields>
  readonly Checks?: readonly Given<typeof checkShape.fields>[]
  readonly SkipNodeUpdate?: boolean
}

export const registerBody = Type.Unsafe<GivenRegistration>(
  strict(
    {
      ...givenFields(hostFields),
      Service: Type.Optional(serviceBody),
      Check: Type.Optional(checkBody),
      Checks: Type.Optional(Type.Array(checkBody)),
      SkipNodeUpdate: flag('Whether an existing node is left as it is'),
      ...tenancy,
      ...indexes
    },
    { $id: 'RegistrationInput', examples: [REGISTRATION] }
  )
)

export const deregisterBody = strict(
  {
    Datacenter: text('Datacenter of the node, which executes the request; the own one unless given'),
    Node: text('Name of the node'),
    ServiceID: text('The instance to remove; wins over CheckID'),
    CheckID: text('The check to remove'),
    Address: text('Ignored'),
    ...tenancy
  },
  { $id: 'DeregistrationInput', examples: [{ Node: 'node-1', ServiceID: 'web-1' }] }
)
