import{h as r}from"./chunk-QGBMVHBO.js";function n({by:e}){return e===0?null:r("b",{class:"difference",children:e>0?`+${e}`:`−${-e}`})}export{n as a};
