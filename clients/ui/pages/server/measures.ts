// The metrics of the server, in the text format of Prometheus.
import { useMemo } from 'preact/hooks'
import { useText, type ResponseState } from '../../session/use-response.js'
import { usePageRefreshTimer } from './live-page.js'

export interface Measure {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
    ])
  )

const numberIn = (text: string): number => (text === '+Inf' ? Infinity : Number(text))

/** Parses a response; comments are skipped. */
const measuresIn = (text: string): readonly Measure[] =>
  text.split('\n').flatMap(line => {
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? []
    return name === undefined ? [] : [{ name, labels: labelsIn(labels), value: numberIn(value) }]
  })

/** Returns the value of a metric without labels. */
export const valueOf = (measures: readonly Measure[], name: string): number | undefined =>
  measures.find(measure => measure.name === name)?.value

/** Repeated by the timer of the page. Returns the same object until the next response. */
export const useMeasures = (): ResponseState<readonly Measure[]> => {
  const { turn } = usePageRefreshTimer()
  const response = useText('/v1/agent/metrics', { format: 'prometheus' }, turn)
  return useMemo(() => {
    const { value, ...failed } = response
    return value === undefined ? failed : { value: measuresIn(value) }
  }, [response])
}
