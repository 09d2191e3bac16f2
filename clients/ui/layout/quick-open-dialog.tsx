import { signal } from '@preact/signals'
import { ErrorBoundary, lazy } from 'preact-iso'
import { Dialog } from '../design/index.js'

const QuickOpen = lazy(async () => (await import('./quick-open.js')).QuickOpen)

const isOpen = signal(false)

export const showQuickOpen = (): void => {
  isOpen.value = true
}

const close = (): void => {
  isOpen.value = false
}

export const QuickOpenDialog = () => (
  <Dialog title="Go to" isOpen={isOpen.value} close={close}>
    <ErrorBoundary>
      <QuickOpen close={close} />
    </ErrorBoundary>
  </Dialog>
)
