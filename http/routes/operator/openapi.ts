// The OpenAPI document of the declared routes.
import * as Type from 'typebox'
import { jsonText } from '../../wire/response.js'
import { noToken, route, type Route } from '../../wire/route.js'

/** @param describe returns the OpenAPI document of all routes; called once, at the first request */
export const openApiRoute = (describe: () => object): Route => {
  let text: string | undefined
  return route({
    tag: 'Status',
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'readApiDescription',
    summary: 'This description, in OpenAPI form',
    access: noToken,
    runs: 'here',
    response: Type.Object({}, { additionalProperties: true }),
    handle: () => jsonText((text ??= JSON.stringify(describe())))
  })
}
