import { StepPace, type Steps } from '../../../projections/steps.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import { JsonList } from '../../wire/reads/json-list.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import type { Selected } from '../catalog/reading.js'

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
