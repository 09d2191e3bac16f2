// The agent's views of its services and checks (spec: state.md §8).
import { checkObject, agentServiceFields } from '../../../projections/catalog/json.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import { type ResourceView, resourceViewsOf } from '../../../projections/definition/resource-views.js'
import { UNFILLED_DEFINITION } from '../../schemas/agent-responses.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import { JsonList } from '../../wire/reads/json-list.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import type { Selected } from '../catalog/reading.js'
import type { CatalogScope } from '../catalog/registration-permissions.js'

const agentService = resourceViewsOf({ fields: agentServiceFields })

/** Returns a service without indexes, with empty maps in place of absent ones. */
export const agentServiceObject = ({ state, host }: ServiceRow): object => {
  const { Tags, Meta, TaggedAddresses, Proxy, ...rest } = state.service
  const { Mode, ...modeless } = Proxy
  return agentService(
    {
      ...rest,
      Tags: Tags ?? [],
      Meta: Meta ?? {},
      TaggedAddresses: TaggedAddresses ?? undefined,
      Proxy: rest.Kind === '' ? undefined : Mode === '' ? modeless : Proxy,
      Datacenter: host.state.node.Datacenter
    },
    state
  )
}

/** Returns a check without its type, periods and definition. */
export const agentHealthCheckObject = (row: CheckRow, scope: CatalogScope): object => {
  const {
    CreateIndex,
    ModifyIndex,
    ExposedPort: _exposedPort,
    Interval: _interval,
    Timeout: _timeout,
    ...shown
  } = agentCheckObject(row, scope)
  const { ServiceTags } = row.state.check
  return {
    ...shown,
    ServiceTags: ServiceTags?.length ? ServiceTags : null,
    Type: '',
    Definition: UNFILLED_DEFINITION,
    CreateIndex,
    ModifyIndex
  }
}

/** Returns a check with indexes of 0. Its output may contain another server's response and requires read permission on the node. */
export const agentCheckObject = (row: CheckRow, scope: CatalogScope): ResourceView => ({
  ...checkObject(row.state, { showsSecrets: scope.writes(row) }),
  ...(scope.check(row) ? {} : { Output: '' }),
  CreateIndex: 0,
  ModifyIndex: 0
})

/** Answers with an object of the selected rows by ID, in chunks. @param viewOf returns the ID and the view of a row */
export const answerById = <Row>(
  request: RequestContext,
  selected: Steps<Selected<Row>>,
  viewOf: (row: Row) => readonly [id: string, view: object]
): RouteResponse | Promise<RouteResponse> => {
  const steps = function* (): Steps<RouteResponse> {
    const { rows, isShortened, headers } = yield* selected
    const members = new JsonList('object')
    const pace = new StepPace()
    for (const row of rows) {
      const [id, view] = viewOf(row)
      const text = JSON.stringify(view)
      members.push(`${JSON.stringify(id)}:${text}`)
      if (pace.isOver(text.length)) yield
    }
    return jsonText(members.end(), [...filteredHeaders(request, isShortened), ...headers])
  }
  return request.runInChunks(steps())
}
