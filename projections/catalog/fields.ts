// What filter expressions may select of nodes, services and checks (spec: state.md §13).
import { nodeShape } from '../../events/node.js'
import { serviceShape } from '../../events/service.js'
import { number, object, objects, string, strings, type Fields } from '../language/fields.js'
import { filterFieldsOf } from '../shape/filter-fields.js'
import { onNodeFields } from './service-forms.js'

export const nodeFields = filterFieldsOf(nodeShape.fields)

/** Of a service without its node. */
export const serviceFields = filterFieldsOf(serviceShape.fields)

/** Of a service and its node in one object. */
export const serviceNodeFields = filterFieldsOf(onNodeFields)

export const checkFields: Fields = {
  Node: string,
  CheckID: string,
  Name: string,
  Status: string,
  Notes: string,
  Output: string,
  ServiceID: string,
  ServiceName: string,
  ServiceTags: strings,
  Type: string,
  Interval: string,
  Timeout: string,
  ExposedPort: number
}

/** Of the health of a service. */
export const serviceHealthFields: Fields = {
  Node: object(nodeFields),
  Service: object(serviceFields),
  Checks: objects(checkFields)
}
