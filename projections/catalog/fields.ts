// What filter expressions may select of nodes, services and checks (spec: state.md §13).
import { checkResource } from '../../events/check.js'
import { nodeDefinition } from '../../events/node.js'
import { serviceDefinition } from '../../events/service.js'
import { object, objects, type Fields } from '../language/fields.js'
import { filterFieldsOf } from '../definition/filter-fields.js'
import { onNodeFields } from './service-views.js'

export const nodeFields = filterFieldsOf(nodeDefinition.fields)

/** Of a service without its node. */
export const serviceFields = filterFieldsOf(serviceDefinition.fields)

/** Of a service and its node in one object. */
export const serviceNodeFields = filterFieldsOf(onNodeFields)

export const checkFields = filterFieldsOf(checkResource.fields)

/** Of the health of a service. */
export const serviceHealthFields: Fields = {
  Node: object(nodeFields),
  Service: object(serviceFields),
  Checks: objects(checkFields)
}
