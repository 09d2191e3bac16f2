// A page of which parts are asked again by a pulse, with what pauses it.
import type { ComponentChildren } from 'preact'
import { Heading } from '../../components/heading.js'
import { RefreshTimerContext, useRefreshTimer } from './refresh-timer.js'

interface Props {
  readonly title: string
  readonly children: ComponentChildren
}

export const LivePage = ({ title, children }: Props) => {
  const pulse = useRefreshTimer()
  return (
    <RefreshTimerContext.Provider value={pulse}>
      <main class="resource">
        <header>
          <Heading>{title}</Heading>
          <button type="button" aria-pressed={pulse.isPaused} onClick={() => pulse.pause(!pulse.isPaused)}>
            Pause
          </button>
          <button type="button" onClick={pulse.ask}>
            Read again
          </button>
        </header>
        {children}
      </main>
    </RefreshTimerContext.Provider>
  )
}
