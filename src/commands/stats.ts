export { default } from './api/stats.js'
