// The description of the API, made from what the routes declare.
import * as Type from 'typebox'
import { jsonText } from '../../wire/answer.js'
import { noToken, route, type Route } from '../../wire/route.js'

/** @param describe the OpenAPI document of all routes; asked once, when it is first wanted */
export const openApiRoute = (describe: () => Promise<object>): Route => {
  let text: Promise<string> | undefined
  const made = async (): Promise<string> => JSON.stringify(await describe())
  return route({
    tag: 'Status',
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This description, in OpenAPI form',
    access: noToken,
    blocking: false,
    consistency: 'none',
    caching: 'none',
    response: Type.Object({}, { additionalProperties: true }),
    handle: async () => jsonText(await (text ??= made()))
  })
}
