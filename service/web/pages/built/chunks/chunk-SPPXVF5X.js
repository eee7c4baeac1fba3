import{h as r}from"./chunk-Y33B5N3N.js";function n({by:e}){return e===0?null:r("b",{class:"difference",children:e>0?`+${e}`:`−${-e}`})}export{n as a};
