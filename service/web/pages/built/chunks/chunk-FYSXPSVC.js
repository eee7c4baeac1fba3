import{a as t}from"./chunk-K6OK6HJN.js";function i({statements:e,closings:r}){return[...e,...r].sort((m,o)=>t(m.at)-t(o.at))}export{i as a};
