// A page that repeats its requests while it is visible and not paused, for data without events such as metrics and lags.
import { createContext, type ComponentChildren } from 'preact'
import { useContext, useState, useMemo } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Button, Heading } from '../../design/index.js'
import { useRefreshTimer } from '../../live/use-refresh-timer.js'
import { useResponse, type ResponseState, useText } from '../../session/use-response.js'

const INTERVAL_MS = 5000

const RefreshTimerContext = createContext<ReturnType<typeof useRefreshTimer>>([0, () => {}])

/** The timer of the page of a component. */
export const usePageRefreshTimer = () => useContext(RefreshTimerContext)

/** As `useResponse`, repeated by the timer of the page. */
export const useLiveResponse = <T,>(path: string | undefined, query: Query = {}): ResponseState<T> =>
  useResponse<T>(path, query, usePageRefreshTimer()[0])

interface Props {
  readonly title: string
  readonly children: ComponentChildren
}

export const LivePage = ({ title, children }: Props) => {
  const [isPaused, setIsPaused] = useState(false)
  const timer = useRefreshTimer(INTERVAL_MS, isPaused)
  return (
    <RefreshTimerContext.Provider value={timer}>
      <main class="resource">
        <header>
          <Heading>{title}</Heading>
          <Button label="Pause" act={() => setIsPaused(!isPaused)} class="at-end" aria-pressed={isPaused} />
          <Button label="Refresh" act={timer[1]} />
        </header>
        {children}
      </main>
    </RefreshTimerContext.Provider>
  )
}

// The metrics of the server, in the text format of Prometheus.
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
  const [turn] = usePageRefreshTimer()
  const response = useText('/v1/agent/metrics', { format: 'prometheus' }, turn)
  return useMemo(() => {
    const { value, ...failed } = response
    return value === undefined ? failed : { value: measuresIn(value) }
  }, [response])
}
