// Bodies of nodes, services and checks (spec: state.md §2, §6.2, §6.3).
import * as Type from 'typebox'
import { checkResource } from '../../events/check.js'
import { nodeDefinition } from '../../events/node.js'
import { serviceDefinition } from '../../events/service.js'
import type { RequestBodyOf } from '../../events/definition/types.js'
import { hostFields } from '../../projections/catalog/json.js'
import { writableFields } from '../../events/definition/forms/forms.js'
import { flag, strict, text } from './view.js'

const tenancy = { Namespace: text('Namespace of the resource'), Partition: text('Its admin partition') }
const indexes = {
  CreateIndex: Type.Optional(Type.Number({ minimum: 0 })),
  ModifyIndex: Type.Optional(Type.Number({ minimum: 0 }))
}

/** A service; the transaction adds an index. */
export const serviceProperties = { ...writableFields(serviceDefinition.fields), ...indexes }
export type ServiceBodyInput = RequestBodyOf<typeof serviceDefinition.fields>
const serviceBody = Type.Unsafe<ServiceBodyInput>(strict(serviceProperties, { $id: 'ServiceInput' }))

/** Transactions do not accept the fields that only responses have. */
const {
  Interval: _interval,
  Timeout: _timeout,
  ExposedPort: _exposedPort,
  ...inTransactions
} = checkResource.fields
export const txnCheckProperties = { ...writableFields(inTransactions), ...indexes }
export type TxnCheckInput = RequestBodyOf<typeof inTransactions>

const checkBody = Type.Unsafe<RequestBodyOf<typeof checkResource.fields>>(
  strict({ ...writableFields(checkResource.fields), ...indexes }, { $id: 'CheckInput' })
)

/** A node; the transaction adds an index. */
export const nodeProperties = { ...writableFields(nodeDefinition.fields), ...indexes }
export type NodeBodyInput = RequestBodyOf<typeof nodeDefinition.fields>

const REGISTRATION = {
  Node: 'node-1',
  Address: '10.0.0.1',
  Service: { ID: 'web-1', Service: 'web', Port: 8080, Tags: ['v1'] },
  Check: { Name: 'web answers', ServiceID: 'web-1', Status: 'passing' }
}

interface RegistrationInput extends RequestBodyOf<typeof hostFields> {
  readonly Service?: ServiceBodyInput
  readonly Check?: RequestBodyOf<typeof checkResource.fields>
  readonly Checks?: readonly RequestBodyOf<typeof checkResource.fields>[]
  readonly SkipNodeUpdate?: boolean
}

export const registerBody = Type.Unsafe<RegistrationInput>(
  strict(
    {
      ...writableFields(hostFields),
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
