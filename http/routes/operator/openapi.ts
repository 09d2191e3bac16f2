// The OpenAPI document of the declared routes.
import * as Type from 'typebox'
import type { Steps } from '../../../projections/steps.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import { noToken, route, type Route } from '../../wire/route.js'

/** @param describe generates the OpenAPI document of all routes; called at the first request */
export const openApiRoute = (describe: () => Steps<object>): Route => {
  let text: string | undefined
  const answer = function* (): Steps<RouteResponse> {
    text ??= JSON.stringify(yield* describe())
    return jsonText(text)
  }
  return route({
    tag: 'Status',
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'readApiDescription',
    summary: 'This description, in OpenAPI form',
    access: noToken,
    runs: 'here',
    response: Type.Object({}, { additionalProperties: true }),
    handle: request => request.runInChunks(answer())
  })
}
